"""extline.model: what a model wrote."""

from __future__ import annotations

import json
import pickle
import re
import threading

import pytest
from program import ROOT

from extline.model import (
    Call,
    Extractor,
    Fix,
    Offered,
    Repaired,
    RepairError,
    UnrenderableError,
    extract,
    repair,
    schema_for,
    without_nulls,
)

# In parts, since no file of the repository holds a call (model/tests/phantoms.rs).
HERMES = 'I look.\n<tool_' + 'call>{"name": "read", "arguments": {"path": "a",}}</tool_' + "call>"


def test_valid_json_needs_no_fix() -> None:
    assert repair('{"a": [1, 2.5, null, "ä"]}') == Repaired({"a": [1, 2.5, None, "ä"]}, [], 0, False)


def test_what_was_read_is_compared_shown_and_copied() -> None:
    repaired = repair("{'a': 1}")
    assert repaired == repair('{\'a\':1}') and repaired != repair('{"a": 1}') and repaired != 1
    assert repr(repair("[1]")) == "Repaired(value=[1], fixes=[], unlisted=0, truncated=False)"
    assert pickle.loads(pickle.dumps(repaired)) == repaired
    assert repaired.fixes is repaired.fixes
    with pytest.raises(AttributeError):
        repaired.value = 2  # type: ignore[misc]


def test_what_was_changed_is_told_with_its_place() -> None:
    repaired = repair("{'ä': 1,\n 'b': 2,}")
    assert repaired.value == {"ä": 1, "b": 2}
    assert [(fix.kind, fix.line, fix.column) for fix in repaired.fixes] == [
        ("quotes", 1, 2),
        ("quotes", 2, 2),
        ("trailing_comma", 2, 8),
    ]
    text = "line 2, column 8: the comma before a closing bracket was removed: ,"
    assert repaired.fixes[-1] == Fix("trailing_comma", 2, 8, ",", text)


def test_a_text_that_ends_early_is_truncated() -> None:
    repaired = repair('{"path": "a.txt", "content": "package ma')
    assert repaired.value == {"path": "a.txt", "content": "package ma"}
    assert repaired.truncated


def test_two_values_are_refused_with_their_place() -> None:
    with pytest.raises(RepairError) as caught:
        repair('{"a": 1}\n {"a": 2}')
    error = caught.value
    assert (error.kind, error.line, error.column) == ("several_values", 2, 2)
    assert str(error) == "line 2, column 2: a second JSON value begins here; write exactly one"
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kind) == (str(error), error.kind)


def test_each_case_of_the_corpus_becomes_what_was_meant() -> None:
    cases = [json.loads(line) for line in (ROOT / "model/corpus/broken.jsonl").read_text("utf-8").splitlines()]
    assert len(cases) >= 300
    for case in cases:
        if case.get("refused"):
            with pytest.raises(RepairError):
                repair(case["text"])
        else:
            # As text: 1 and true are equal in Python.
            became = json.dumps(repair(case["text"]).value, sort_keys=True)
            assert became == json.dumps(case["value"], sort_keys=True), case["text"]


def test_fixes_beyond_the_list_are_counted() -> None:
    repaired = repair("[" + "'a'," * 3_000 + "'a']")
    assert len(repaired.value) == 3_001
    assert len(repaired.fixes) + repaired.unlisted == 3_001
    assert repaired.unlisted > 0


def test_threads_read_long_texts_at_the_same_time() -> None:
    text = "[" + "{a: 'b'}," * 20_000 + "]"
    values: list[object] = []
    threads = [threading.Thread(target=lambda: values.append(repair(text).value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [[{"a": "b"}] * 20_000] * 4


def test_the_samples_of_the_page_hold() -> None:
    page = (ROOT / "docs/python/model.md").read_text("utf-8")
    samples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(samples) == 4
    for sample in samples:
        exec(compile(sample, "model.md", "exec"), {})


def test_calls_are_found_in_a_text() -> None:
    found = extract(HERMES, ["read", "write"])
    [call] = found.calls
    assert isinstance(call, Call)
    assert (call.name, call.arguments, call.id, call.envelope) == ("read", {"path": "a"}, None, "hermes")
    assert [fix.kind for fix in call.fixes] == ["trailing_comma"]
    assert (found.remaining, found.envelope) == ("I look.", "hermes")
    assert (found.repaired, found.truncated, found.refused) == (True, False, [])


def test_a_tool_that_was_not_offered_is_refused() -> None:
    found = extract(HERMES, ["write"])
    assert found.calls == []
    assert [(it.envelope, it.reason) for it in found.refused] == [("hermes", "there is no tool read")]


def test_the_schema_says_what_is_text() -> None:
    text = "<function" + "=read><parameter=path>12</parameter></function>"
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    assert extract(text, [Offered("read", schema)]).calls[0].arguments == {"path": "12"}
    assert extract(text, [Offered("read")]).calls[0].arguments == {"path": 12}


def test_one_text_in_place_of_names_is_a_mistake() -> None:
    with pytest.raises(TypeError, match=re.escape("give a list of names, ['read']")):
        extract(HERMES, "read")


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_calls_are_the_same_however_the_text_comes(size: int) -> None:
    extractor = Extractor(["read"])
    parts: list[str | Call] = []
    for at in range(0, len(HERMES), size):
        parts += extractor.push(HERMES[at : at + size])
    rest, found = extractor.finish()
    parts += rest
    assert found == extract(HERMES, ["read"])
    assert "".join(part for part in parts if isinstance(part, str)).strip() == "I look."
    assert [part for part in parts if isinstance(part, Call)] == found.calls


def test_an_extractor_is_for_one_text() -> None:
    extractor = Extractor(["read"])
    extractor.finish()
    with pytest.raises(RuntimeError, match="has ended; make another"):
        extractor.push("more")


def test_a_schema_is_rendered_for_a_provider() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string", "format": "uri"}}}
    made, notes = schema_for("google", schema, name="look")
    assert made == {"type": "object", "properties": {"city": {"type": "string"}}}
    assert [(note.kind, note.pointer) for note in notes] == [("taken_off", "/properties/city/format")]
    assert without_nulls(schema, {"city": None}) == {}


def test_what_a_provider_does_not_take_is_refused_with_its_place() -> None:
    with pytest.raises(UnrenderableError) as caught:
        schema_for("openai", {"type": "array"})
    error = caught.value
    assert (error.reason, error.pointer) == ("root_type", "/type")
    assert pickle.loads(pickle.dumps(error)).reason == "root_type"
    with pytest.raises(UnrenderableError, match='takes no tool called "look up"'):
        schema_for("openai", {"type": "object"}, name="look up")
    with pytest.raises(ValueError, match='"openai", "anthropic", "google", "mistral"'):
        schema_for("mistal", {})  # type: ignore[arg-type]
