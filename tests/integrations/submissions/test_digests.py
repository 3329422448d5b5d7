"""Tests of the parts of a digest."""

from datetime import datetime

from integrations.partners.models import Membership, Partner
from integrations.submissions import digests
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.portal import pseudo_language


def test_program_staff_who_belong_to_the_company_read_its_required_actions(
    acme: Partner, rocket: Integration, rita: User, now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="editor", joined_at=now)
    context = digests.build_context(rita, [EmailMessage(integration=rocket)])
    assert context["required_actions"] == [rocket]


def test_part_about_the_account_is_translated() -> None:
    with pseudo_language.activate_pseudo_language():
        name, _page = digests.describe_part(User(), None)
    assert name == "⟦Your account⟧"
