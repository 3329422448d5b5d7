"""Test that fields with a person's name can hold the email address of a person without a name."""

import pytest
from django.db.models import Model

from integrations.sla.models import SupportIssueEvent
from integrations.submissions.models import AgreementSignature
from portal.accounts.models import User
from portal.audit.models import AuditEvent


@pytest.mark.parametrize(
    ("model", "name"), [(AuditEvent, "actor"), (SupportIssueEvent, "actor"), (AgreementSignature, "signer")]
)
def test_field_holds_the_longest_email_address(model: type[Model], name: str) -> None:
    # SQLite does not enforce the length.
    assert model._meta.get_field(name).max_length == User._meta.get_field("email").max_length
