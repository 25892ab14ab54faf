"""Between a model and its tools: ``repair`` mends the JSON that models write, ``extract`` finds the tool
calls in their text where the provider's interface did not, and ``schema_for`` renders a tool's schema as
a provider takes it.

    from extline.model import repair

    repaired = repair("{'path': 'a.txt', lines: [1, 2,],}")
    assert repaired.value == {"path": "a.txt", "lines": [1, 2]}

All are functions of text, for agents with and without an extline host, and from any thread; of a long
text the work is done without the GIL.
"""

from ._extract import Extractor, Offered, extract
from ._found import Call, Extracted, Fix, Refused, RepairError
from ._native import Repaired, repair
from ._schema import Note, Rendered, UnrenderableError, schema_for, without_nulls

__all__ = [
    "Call",
    "Extracted",
    "Extractor",
    "Fix",
    "Note",
    "Offered",
    "Refused",
    "Rendered",
    "RepairError",
    "Repaired",
    "UnrenderableError",
    "extract",
    "repair",
    "schema_for",
    "without_nulls",
]
