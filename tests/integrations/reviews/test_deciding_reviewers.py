"""Tests of the reviewers who can make a pending decision."""

from datetime import datetime

import pytest

from integrations.partners import permissions
from integrations.partners.models import Membership, Partner
from integrations.reviews.services import conflicts
from integrations.submissions.models import Integration
from integrations.submissions.selectors.deciders import list_deciding_reviewers
from portal.accounts.models import User
from tests.conftest import create_user
from tests.integrations.database_rows import reload_row

pytestmark = pytest.mark.any_database


def test_reviewers_who_can_decide_are_those_whom_the_permission_allows(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, frozen_now: datetime
) -> None:
    conflicted, member, creator, first_approver, _inactive = (
        create_user(f"{name}@program.example", name, is_reviewer=True, is_active=name != "inactive")
        for name in ("conflicted", "member", "creator", "first", "inactive")
    )
    conflicts.record_conflict(acme, conflicted, "I worked there.", actor=conflicted, now=frozen_now)
    Membership.objects.create(partner=acme, user=member, role="viewer", joined_at=frozen_now)
    fields = {"created_by": creator, "first_approver": first_approver, "review_state": "waiting"}
    Integration.objects.filter(pk=ready_integration.pk).update(**fields)
    row = reload_row(ready_integration)
    reviewers = User.objects.active_reviewers().order_by("pk")
    allowed = [reviewer for reviewer in reviewers if permissions.can_review_now(row, reviewer)]
    assert list_deciding_reviewers(row) == allowed == [rita, rob]
