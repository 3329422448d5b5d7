"""Remarks about a file, each with a name, an outcome, and a sentence. Their texts are in data/remarks.yaml."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from portal.core.content_files import load_content
from verification.outcomes import Outcome, get_worst_outcome


@dataclass(frozen=True, slots=True)
class Remark:
    """Finding about a file. `key` names it for tests and tables. `text` is a sentence for users."""

    key: str
    outcome: Outcome
    text: str


@cache
def _load_remarks() -> dict[str, Remark]:
    """Return the remarks by key. Their texts have placeholders."""
    path = Path(__file__).parents[1] / "data" / "remarks.yaml"
    texts_by_outcome = load_content(path, dict[Outcome, dict[str, str]])
    return {
        key: Remark(key, outcome, text) for outcome, texts in texts_by_outcome.items() for key, text in texts.items()
    }


def build_remark(key: str, /, **values: object) -> Remark:
    """Return the remark with this key, its text filled with the values."""
    remark = _load_remarks()[key]
    # `key` is positional-only above, so that a text can have a placeholder of that name.
    return replace(remark, text=remark.text.format(**values))


def select_remarks(conditions: Mapping[str, object], /, **values: object) -> list[Remark]:
    """Return the remarks whose condition is true, by their keys. The texts of all are filled with the same values."""
    return [build_remark(key, **values) for key, condition in conditions.items() if condition]


def get_outcome(remarks: Iterable[Remark]) -> Outcome:
    """Return the worst outcome of the remarks, or PASS without remarks."""
    # Without a pass, no remarks would count as not run.
    return get_worst_outcome([Outcome.PASS, *(remark.outcome for remark in remarks)])
