"""Comparison of the evidence with that of the previous review round."""

from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement
from integrations.reviews.answers import list_answers
from integrations.submissions.text_changes import TextChange, compare_words
from portal.core.value_types import JsonObject
from portal.ui.components.inline import OUTCOMES

MAX_SHORT_TEXT = 80  # characters; longer texts are compared by words
MIN_KEPT_SHARE = 0.3  # of a text; with less in common, both texts are easier to read than their differences


@dataclass(frozen=True, slots=True)
class ValueChange:
    """Value that differs from the previous round; blank if there was or is none."""

    label: str
    old: str
    new: str

    @property
    def text_changes(self) -> list[TextChange]:
        """Return the changed words of a long text. Short or very different texts have none."""
        if not (self.old and self.new) or max(len(self.old), len(self.new)) <= MAX_SHORT_TEXT:
            return []
        changes = compare_words(self.old, self.new)
        kept_length = sum(len(part.text) for part in changes if part.change == "kept")
        return changes if kept_length >= MIN_KEPT_SHARE * len(self.new) else []


@dataclass(frozen=True, slots=True)
class RequirementComparison:
    """Evidence of a requirement compared with that of an earlier round."""

    state: Literal["unchanged", "changed", "new"]
    changes: tuple[ValueChange, ...] = ()


def compare_evidence(requirement: Requirement, old: JsonObject, new: JsonObject) -> RequirementComparison | None:
    """Return the comparison, or None if a requirement has and had no evidence."""
    old_values = _list_values(requirement, old)
    new_values = _list_values(requirement, new)
    # In the order of the new round, followed by what it lacks.
    labels = dict.fromkeys([*new_values, *old_values])
    changes = tuple(
        ValueChange(label, old_values.get(label, ""), new_values.get(label, ""))
        for label in labels
        if old_values.get(label) != new_values.get(label)
    )
    if not labels:
        return None
    state: Literal["new", "changed"] = "changed" if old_values else "new"
    return RequirementComparison(state, changes) if changes else RequirementComparison("unchanged")


def _list_values(requirement: Requirement, evidence: JsonObject) -> dict[str, str]:
    """Return the values of a requirement by their labels in the reader's language."""
    if not evidence:
        return {}
    values = {_("Statement"): _("Confirmed")} if evidence["confirmed"] else {}
    values |= dict(list_answers(requirement, evidence["answers"]))
    if evidence["documents"]:
        values[_("Documents")] = "\n".join(evidence["documents"])
    for item in evidence["checks"]:
        values |= _list_check_values(item)
    return values


def _list_check_values(item: JsonObject) -> dict[str, str]:
    """Return the result of a check, and the repository and the release that it inspected."""
    outcome = _(OUTCOMES[item["outcome"]][2]) if item["outcome"] in OUTCOMES else ""
    values = {item["title"]: " · ".join(part for part in (outcome, item["summary"]) if part)}
    return values | {f"{item['title']} ({name})": revision for name, revision in (item["subjects"] or {}).items()}
