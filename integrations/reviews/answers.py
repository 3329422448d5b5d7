"""Answers of a requirement as labels and texts."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _, gettext_noop

from integrations.programs.requirements import Question, Requirement
from integrations.submissions.forms.requirements import format_answer
from integrations.submissions.models import Agreement
from integrations.submissions.services.evidence_snapshots import INTERNAL_KEYS
from portal.ui.components.moments import format_full

SIGNATURE_LABELS = {
    "version": gettext_noop("Version"),
    "digest": gettext_noop("SHA-256"),
    "method": gettext_noop("Method"),
    "partner_signer": gettext_noop("Partner's signer"),
    "partner_title": gettext_noop("Title of the partner's signer"),
    "partner_signed_at": gettext_noop("Partner's signature date"),
    "program_signer": gettext_noop("Program's signer"),
    "program_title": gettext_noop("Title of the program's signer"),
    "program_signed_at": gettext_noop("Program's signature date"),
}
SIGNATURE_TIMES = frozenset({"partner_signed_at", "program_signed_at"})


def get_value_label(key: str) -> str:
    """Return the label of a stored value that is no answer to a question."""
    return _(SIGNATURE_LABELS[key]) if key in SIGNATURE_LABELS else key.replace("_", " ").capitalize()


def list_answers(requirement: Requirement, data: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the answers in the order of the questions, then values without a question."""
    fields = {field.key: field for field in requirement.fields}
    keys = [*fields, *(key for key in data if key not in fields and key not in INTERNAL_KEYS)]
    pairs = [
        (fields[key].label if key in fields else get_value_label(key), _format_value(fields.get(key), key, data[key]))
        for key in keys
        if key in data
    ]
    return [(question, answer) for question, answer in pairs if answer]


def _format_value(question: Question | None, key: str, value: object) -> str:
    if key in SIGNATURE_TIMES:
        return format_full(datetime.fromisoformat(str(value)))
    if question is None and key == "method":
        return str(Agreement.Method(str(value)).label)
    return format_answer(question, value)
