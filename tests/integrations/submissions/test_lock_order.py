"""Tests that changes of a company and of its integrations at the same time wait for each other on PostgreSQL."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from integrations.partners.models import Partner
from integrations.partners.services.profiles import approve_partner, reject_partner
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import drafts
from integrations.submissions.services.partner_merges import merge_partners
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from tests.concurrency import list_errors
from tests.conftest import FACTS, create_integration, create_partner
from tests.integrations.partners.memberships import join
from tests.integrations.submissions.signatures import RITA, TPA, sign

ROUNDS = 12

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_concurrent_reopening_and_merging_wait_for_each_other(
    globex: Partner, alice: User, rita: User, sam: User, now: datetime
) -> None:
    join(globex, alice, "editor", now)
    for number in range(ROUNDS):
        alice = User.objects.get(pk=alice.pk)  # without the roles of the last round
        source = create_partner(f"Source-{number}", f"source{number}.example")
        join(source, alice, "owner", now)
        ended = create_integration(source, alice, name="Ended")
        other = create_integration(source, alice, name="Other")
        perform_transition(ended, "withdraw", actor=alice, note="Later.", now=now)
        sign(other, alice, now)
        sign(other, rita, now, RITA)
        later = now + timedelta(minutes=11)
        errors = list_errors(
            partial(perform_transition, ended, "reopen", actor=alice, now=later),
            partial(merge_partners, source, globex, "One company.", actor=sam, now=later),
        )
        assert errors == []
        rows = Integration.objects.filter(pk__in=(ended.pk, other.pk))
        assert list(rows.values_list("partner", "stage").distinct()) == [(globex.pk, "engage")]


def test_integration_created_during_a_signature_is_signed(rita: User, alice: User, now: datetime) -> None:
    for number in range(ROUNDS):
        alice = User.objects.get(pk=alice.pk)  # without the roles of the last round
        company = create_partner(f"Company-{number}", f"company{number}.example")
        join(company, alice, "owner", now)
        first = create_integration(company, alice, name="First")
        sign(first, alice, now)
        errors = list_errors(
            partial(create_integration, company, alice, name="Second"), partial(sign, first, rita, now, RITA)
        )
        assert errors == []
        fulfillments = RequirementFulfillment.objects.filter(integration__partner=company, requirement_id=TPA)
        assert list(fulfillments.values_list("status", flat=True)) == ["submitted", "submitted"]


def test_integration_created_during_a_merge_belongs_to_an_open_company(
    globex: Partner, alice: User, sam: User, now: datetime
) -> None:
    join(globex, alice, "editor", now)
    for number in range(ROUNDS):
        alice = User.objects.get(pk=alice.pk)  # without the roles of the last round
        source = create_partner(f"Source-{number}", f"source{number}.example")
        join(source, alice, "owner", now)
        draft = drafts.create_draft(source, "nomad", actor=alice, now=now)
        errors = list_errors(
            partial(drafts.submit_draft, draft, FACTS, version=0, actor=alice, now=now),
            partial(merge_partners, source, globex, "One company.", actor=sam, now=now),
        )
        assert errors in ([], ["ActionRefused: This company was merged into Globex."])
        assert not source.integrations.exists()


def test_concurrent_decisions_on_a_company_and_its_integration_wait_for_each_other(
    acme: Partner, alice: User, rita: User, rob: User, now: datetime
) -> None:
    row = create_integration(acme, alice)
    decisions: list[Any] = [reject_partner, approve_partner]
    steps = ["put_on_hold", "resume"]
    for number in range(2 * ROUNDS):
        decide = decisions[number % 2]
        step = steps[number % 2]
        errors = list_errors(
            partial(decide, acme, "As agreed.", actor=rita, now=now),
            partial(perform_transition, row, step, actor=rob, note="As agreed.", now=now),
        )
        assert errors == []
