"""Mistakes of the kit: secrets, values that are kept, the history, programs."""
import os

import services
from calls import Failed
from frames import Raw, encode
from mutation import around, mutant, tool
from rpc import Asked
from services import Services


# ---- secrets

@mutant
def secret_shown():
    services.Secret.__str__ = lambda self: self.value


@mutant
def secret_anyhow():
    def value_of(value_of, self, call, name):
        try:
            return value_of(self, call, name)
        except Failed:
            return os.environ[name]
    around(Services, "value_of")(value_of)


@mutant
def secret_nowhere():
    around(Services, "value_of")(lambda _, self, call, name: self.ask(call, "secret.get", name=name)["value"])


@mutant
def secret_unset():
    around(Services, "value_of")(lambda value_of, self, call, name: (
        value_of(self, call, name) if self.kit.host_methods else os.environ.get(name, "")))


# ---- values

@mutant
def versionless():
    around(Services, "state")(lambda _, self, call, method, params: (
        self.ask(call, "state." + method, scope="session", **params)))


@mutant
def sets_blindly():
    def state(state, self, call, method, params):
        params.pop("revision", None)
        return state(self, call, method, params)
    around(Services, "state")(state)


@mutant
def gives_up():
    def add(_, self, call, key):
        found = self.state(call, "get", {"key": key})
        value = found.get("value", 0) + 1
        self.state(call, "set", {"key": key, "value": value, "revision": found["revision"]})
        return value
    around(Services, "add")(add)


@mutant
def first_page():
    around(Services, "of_all_pages")(lambda _, self, ask, name: ask({})[name])


@mutant
def migrates_nothing():
    Asked.migrate = lambda self: {"data": {}}


# ---- the history, and programs

@mutant
def entry_without_data():
    tool("history", lambda call, history: (call.args.pop("data", None), history(call))[1])


@mutant
def first_page_of_entries():
    around(Services, "of_all_pages")(lambda of_all_pages, self, ask, name: (
        ask({})[name] if name == "entries" else of_all_pages(self, ask, name)))


@mutant
def failed_programs_fail():
    def run(call, run):
        ran = run(call)
        if '"code":0' not in ran:
            raise Failed("internal", "the program failed")
        return ran
    tool("run", run)


@mutant
def output_unheard():
    def run(call, _):
        params = {"command": call.string("command"), "args": call.args["args"], "stream": True}
        ran = call.kit.questions.ask(call, "exec.run", params)[1]
        return Raw(encode({"code": ran.get("code"), "heard": [], "signal": ran.get("signal"), "stdout": ran["stdout"]}))
    tool("run", run)


# ---- the agent

@mutant
def agent_unasked():
    tool("agent", lambda call, agent: "none" if call.string("op") == "state" else agent(call))


@mutant
def changed_as_asked():
    def agent(call, agent):
        given = agent(call)
        return Raw(encode(call.args["names"])) if "names" in call.args else given
    tool("agent", agent)


@mutant
def agent_anyhow():
    def agent(call, agent):
        call.kit.host_methods = [*call.kit.host_methods, "models.list"]
        return agent(call)
    tool("agent", agent)
