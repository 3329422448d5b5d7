"""Comparison of two editions of a program: what the newer one keeps, adds, removes, and changes."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement
from integrations.programs.schema import Edition

TextDifference = tuple[str, str, str]


@dataclass(frozen=True)
class EditionComparison:
    """Comparison of an old edition with a new one, which may rename keys of the old one."""

    old: Edition
    new: Edition

    def get_new_key(self, key: str) -> str:
        """Return the new key of a requirement, step, or category of the old edition, or the new name of an offering."""
        return self.new.renames.get(self.old.date, {}).get(key, key)

    @cached_property
    def retained_pairs(self) -> tuple[tuple[Requirement, Requirement], ...]:
        """Return the (old, new) requirements that are in both editions."""
        # A key that isn't renamed means the same in both editions, see Edition.renames.
        pairs = ((old, self.new.get_requirement(self.get_new_key(old.id))) for old in self.old.list_requirements())
        return tuple((old, new) for old, new in pairs if new is not None)

    @property
    def removed_requirements(self) -> tuple[Requirement, ...]:
        retained_ids = {old.id for old, _new in self.retained_pairs}
        return tuple(each for each in self.old.list_requirements() if each.id not in retained_ids)

    @property
    def new_requirements(self) -> tuple[Requirement, ...]:
        retained_ids = {new.id for _old, new in self.retained_pairs}
        return tuple(each for each in self.new.list_requirements() if each.id not in retained_ids)

    @property
    def extended_requirements(self) -> tuple[Requirement, ...]:
        """Return the retained requirements with new required questions."""
        return tuple(new for old, new in self.retained_pairs if _has_new_questions(old, new))

    def list_text_differences(self) -> tuple[TextDifference, ...]:
        """Return (label, old text, new text) of each text that differs."""
        old = self.old
        new = self.new
        rows = (
            (_("Edition"), old.date, new.date),
            (_("Mailbox"), old.mailbox, new.mailbox),
            (_("Contact"), old.contact, new.contact),
            (_("Support"), old.sla.summary, new.sla.summary),
            (_("Licenses"), old.licenses.summary, new.licenses.summary),
            (_("Tier at release"), old.release_tier.name, new.release_tier.name),
            (_("Listing"), old.listing, new.listing),
            (_("Delisting"), old.removal, new.removal),
            (_("Approval"), _describe_approval(old), _describe_approval(new)),
        )
        return tuple(row for row in rows if row[1] != row[2])


def _describe_approval(edition: Edition) -> str:
    has_second = any(step.review.second_reviewer for step in edition.steps)
    return _("Two reviewers") if has_second else _("One reviewer")


def _has_new_questions(old_requirement: Requirement, new_requirement: Requirement) -> bool:
    existing_keys = {field.key for field in old_requirement.fields}
    # An optional question doesn't make an answer that was given incomplete.
    return any(field.required and field.key not in existing_keys for field in new_requirement.fields)
