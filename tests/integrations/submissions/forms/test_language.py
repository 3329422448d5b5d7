"""Tests that the texts of form fields are in the reader's language, though Python creates the fields at the start."""

import pytest
from django import forms

from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.views.requirements.meetings import MeetingProposalForm
from integrations.submissions.views.requirements.waivers import WaiverForm
from tests.portal import pseudo_language


@pytest.mark.parametrize(
    ("form", "name", "code", "message"),
    [
        (IntegrationForm, "repository_address", "required", "Enter the repository URL."),
        (IntegrationForm, "homepage", "invalid", "Enter a complete URL, such as https://docs.example.com/page."),
        (MeetingProposalForm, "time_1", "required", "Propose at least one time."),
        (MeetingProposalForm, "time_1", "invalid", "Enter a date and time as YYYY-MM-DD HH:MM."),
        (WaiverForm, "expires_on", "invalid", "Enter a date as YYYY-MM-DD."),
    ],
)
def test_error_message_is_translated_for_each_reader(
    form: type[forms.Form], name: str, code: str, message: str
) -> None:
    error_message = form.base_fields[name].error_messages[code]
    with pseudo_language.activate_pseudo_language():
        assert str(error_message) == f"⟦{message}⟧"


def test_duration_choices_are_translated_for_each_reader() -> None:
    choices = MeetingProposalForm.base_fields["minutes"].choices  # type: ignore[attr-defined]
    with pseudo_language.activate_pseudo_language():
        assert [str(label) for _minutes, label in choices][:2] == ["⟦15 minutes⟧", "⟦30 minutes⟧"]
