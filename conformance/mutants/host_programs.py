"""The programs that host.py runs for its extensions."""

import os
import signal
import subprocess
import threading
import time

from host_basics import Failure, broken

METHOD = "exec.run"
TOOL = {"name": METHOD, "approval": {"gated": True, "tier": "exec"}}
KEPT = 262144


class Programs:
    """The part of a host that runs programs."""

    def run_program(self, extension, frame):
        params = frame.get("params") or {}
        if not isinstance(params.get("command"), str) or not params["command"]:
            return Failure("validation", f"{METHOD}: /command: it is missing")
        parent = None
        if isinstance(frame.get("parent"), dict):
            parent = extension.pending.get(frame["parent"].get("id"))
        if not broken("runs-unasked"):
            denied = self.may_run(extension, params, parent)
            if denied:
                return denied
        is_over = lambda: (
            extension.state in ("failed", "ended") or frame["id"] in extension.unwanted
            or parent is not None and (parent.done.is_set() or parent.cancelled))
        return self.run_to_end(extension, frame["id"], params, is_over)

    def may_run(self, extension, params, parent):
        """The way of each call; why it may not run."""
        if not broken("programs-around-the-gate"):
            for_a_person = []
            for phase in ["intercept", "guard"]:
                params = self.asked(phase, METHOD, params, for_a_person)
                if isinstance(params, Failure):
                    return params
        return self.approve(extension, TOOL, params, params, parent)

    def run_to_end(self, extension, id_, params, is_over):
        command = [params["command"], *params.get("args", [])]
        if broken("runs-by-a-shell"):
            command = ["sh", "-c", " ".join(command)]
        env = dict(os.environ)
        for name, value in (params.get("env") or {}).items():
            env.pop(name, None) if value is None else env.update({name: value})
        folder = os.path.join(self.request["cwd"], params.get("cwd") or "")
        try:
            process = subprocess.Popen(
                command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            if broken("missing-programs-have-run"):
                return {"code": 127, "timed_out": False, "truncated": False, "stdout": "", "stderr": ""}
            kind = "permission" if isinstance(error, PermissionError) else "not_found"
            return Failure(kind, str(error))
        wanted = params.get("stream") and not broken("no-parts") or broken("parts-unasked")
        kept, readers, count = {}, [], [0]
        for name, pipe in [("stdout", process.stdout), ("stderr", process.stderr)]:
            def read(name=name, pipe=pipe):
                kept[name] = b""
                while piece := os.read(pipe.fileno(), 65536):
                    kept[name] += piece
                    if wanted:
                        count[0] += 1
                        data = {"stream": name, "text": piece.decode(errors="replace")}
                        part = {"type": "response_part", "id": id_, "seq": count[0], "data": data}
                        extension.send(part)
            readers.append(threading.Thread(target=read, daemon=True))
            readers[-1].start()
        try:
            process.stdin.write((params.get("stdin") or "").encode())
            process.stdin.close()
        except OSError:
            pass
        timed_out = self.await_end(process, params.get("timeout_ms"), is_over)
        for reader in readers:
            reader.join()
        code, most = process.returncode, params.get("max_bytes") or KEPT
        answer = {"timed_out": timed_out, "truncated": any(len(text) > most for text in kept.values())}
        for name, text in kept.items():
            text = text[:most] if broken("keeps-the-beginning") else text[-most:]
            answer[name] = text.decode(errors="replace")
        if code and code > 0 and broken("failing-is-an-error"):
            return Failure("internal", f"exit status {code}")
        answer.update({"code": code} if code >= 0 else {"signal": signal.Signals(-code).name})
        return answer

    def await_end(self, process, timeout_ms, is_over):
        """Waits for the end, and brings it about where it is time; whether its own time was over."""
        began, timed_out = time.monotonic(), False
        while process.poll() is None:
            is_late = timeout_ms and time.monotonic() - began > timeout_ms / 1000
            is_late = is_late and not broken("programs-without-time")
            if is_late or is_over() and not broken("programs-stay"):
                timed_out = bool(is_late)
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            time.sleep(0.005)
        return timed_out
