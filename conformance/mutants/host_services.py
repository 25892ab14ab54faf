"""What host.py keeps for its extensions: secrets, values by scope, and entries of the history."""

import copy
import json
import os
import threading

from host_basics import Failure, Pending, broken

SECRETS = ["secret.get", "env.get"]
KEPT = ["state.get", "state.set", "state.delete", "state.list", "session.info", "session.append", "session.branch"]
VALUE_BYTES = 65536


class Store:
    """A file in the home, read and written whole."""

    def __init__(self, home, session):
        self.path, self.session = os.path.join(home, "kept.json"), session
        self.lock = threading.RLock()
        self.slots, self.entries, self.revision = {}, {}, 0
        if os.path.exists(self.path) and not broken("forgets"):
            with open(self.path, encoding="utf-8") as file:
                self.slots, self.entries, self.revision = json.load(file)

    def save(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump([self.slots, self.entries, self.revision], file)
        os.replace(self.path + ".new", self.path)

    def slot(self, extension, scope):
        owner = "all" if broken("values-for-all") else extension
        is_session = scope == "session" and not broken("one-session-for-all")
        key = json.dumps([owner, scope, self.session if is_session else ""])
        return self.slots.setdefault(key, {"version": None, "values": {}})

    def history(self, extension):
        key = json.dumps([extension, "" if broken("entries-of-all") else self.session])
        return self.entries.setdefault(key, [])

    def turn_to(self, session, is_branch):
        """Another conversation from now on; one that branches off begins with what is there."""
        with self.lock:
            for kept, at in ((self.slots, 2), (self.entries, 1)) if is_branch else ():
                for key, value in list(kept.items()):
                    words = json.loads(key)
                    if words[at] == self.session and not broken("branches-begin-empty"):
                        words[at] = session
                        kept[json.dumps(words)] = value if broken("branches-share") else copy.deepcopy(value)
            old, self.session = self.session, session
            self.save()
            return old


class Services:
    """The part of a host that keeps things."""

    def keep(self, extension, frame):
        """Answers a request for what is kept."""
        method, params = frame["method"], frame.get("params") or {}
        if method in SECRETS:
            return self.give_secret(extension, method, params)
        if method.startswith("session."):
            with self.store.lock:
                return self.tell_history(extension, method, params)
        failure = self.migrate(extension, params)
        if failure:
            return failure
        with self.store.lock:
            return self.keep_value(extension, method, params)

    # Secrets.

    def give_secret(self, extension, method, params):
        name, part = params.get("name"), "secrets" if method == "secret.get" else "env"
        declared = (extension.manifest.get("permissions") or {}).get(part, [])
        if name not in declared and not broken("gives-the-undeclared"):
            return Failure("permission", f"{name} is not declared: add it to permissions.{part}")
        value = self.secret_of(extension, name) if method == "secret.get" else os.environ.get(name)
        if not value and not broken("gives-nothing"):
            return Failure("not_found", f"{name} is not set")
        self.given.add(value)
        return {"value": value or ""}

    def secret_of(self, extension, name):
        of_all = self.request.get("secrets", {})
        if broken("secrets-for-all"):
            return next((of_one[name] for of_one in of_all.values() if name in of_one), None)
        return of_all.get(extension.name, {}).get(name)

    def without_secrets(self, text):
        for value in self.given if not broken("shows-secrets") else ():
            text = text.replace(value, "***") if value else text
        return text

    # Values.

    def keep_value(self, extension, method, params):
        slot = self.store.slot(extension.name, params["scope"])
        values, key = slot["values"], params.get("key")
        value, revision = values.get(key, [None, 0])
        if method == "state.list":
            keys = sorted(name for name in values if name.startswith(params.get("prefix") or ""))
            return {"keys": [{"key": name, "revision": values[name][1], "bytes": len(json.dumps(values[name][0]))}
                             for name in keys], "bytes": len(json.dumps(values))}
        if method == "state.get":
            found = {"value": value} if key in values else {}
            return {**found, "revision": revision, "slot_version": slot["version"] or 1}
        wanted = params.get("revision")
        if wanted is not None and wanted != revision and not broken("overwrites"):
            data = {} if broken("revision-unsaid") else {"revision": revision}
            return Failure("conflict", f"it has the revision {revision}", data)
        if method == "state.delete":
            values.pop(key, None)
            self.store.save()
            return {"deleted": revision > 0}
        if len(json.dumps(params["value"])) > VALUE_BYTES and not broken("keeps-any-size"):
            if broken("too-large-takes-away"):
                values.pop(key, None)
            data = {} if broken("limit-unnamed") else {"limit": "value_bytes", "max": VALUE_BYTES}
            return Failure("too_large", f"a value has {VALUE_BYTES} bytes at most", data)
        self.store.revision += 1
        values[key] = [params["value"], self.store.revision]
        slot["version"] = slot["version"] or params.get("slot_version", 1)
        self.store.save()
        return {"revision": self.store.revision}

    def migrate(self, extension, params):
        """Has values of another version made anew; why that was not possible."""
        slot, version = self.store.slot(extension.name, params["scope"]), params.get("slot_version", 1)
        if slot["version"] in (None, version) or broken("mixes-versions"):
            return None
        said = f"the values have the version {slot['version']}, and are asked for in {version}"
        if "state.migrate" not in extension.methods:
            return Failure("conflict", said)
        pending = Pending("response")
        id_ = extension.id(pending)
        data = {key: value for key, (value, _) in slot["values"].items()}
        asked = {"from": slot["version"], "to": version, "scope": params["scope"], "data": data}
        extension.send({"type": "request", "id": id_, "method": "state.migrate", "params": asked})
        answer = pending.wait(self.seconds("intercept_ms"))
        extension.pending.pop(id_, None)
        if isinstance(answer, Failure) or "result" not in answer:
            if broken("half-migrated"):
                slot.update({"version": version, "values": {}})
            return Failure("conflict", said)
        values = slot["values"] if broken("adds-to-old-values") else {}
        for key, value in answer["result"]["data"].items():
            self.store.revision += 1
            values[key] = [value, self.store.revision]
        slot.update({"version": version, "values": values})
        self.store.save()
        return None

    # The history.

    def tell_history(self, extension, method, params):
        entries = self.store.history(extension.name)
        if method == "session.append":
            self.store.revision += 1
            id_ = str(self.store.revision)
            entries.append({"id": id_, "type": params["type"], "data": params["data"], "at_ms": 1})
            self.store.save()
            return {"id": id_}
        if method == "session.branch":
            types = params.get("types")
            found = [entry for entry in entries if types is None or entry["type"] in types]
            return {"entries": found[::-1] if broken("newest-entries-first") else found}
        info = {"project": self.request["cwd"], "durable": True}
        return {**info, "id": self.store.session} if self.store.session else info

    def turn_to(self, request):
        """Another conversation is served from now on, and extensions hear of it."""
        is_branch = bool(request.get("branch"))
        old = self.store.turn_to(request["session"], is_branch)
        events = [("session_end", {"reason": "session_switch", "session_id": old}),
                  ("session_branch" if is_branch else "session_switch", {"previous_session": old}),
                  ("session_start", {"reason": "fork" if is_branch else "new"})]
        if broken("switches-in-silence"):
            events = events[-1:]
        if broken("starts-before-the-end"):
            events.reverse()
        for event, payload in events:
            self.emit(event, {"session_id": request["session"], **payload})
