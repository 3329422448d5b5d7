"""Tests of the merge of two companies."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from integrations.partners.models import Partner
from integrations.partners.services import members
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors.agreements import select_agreements
from integrations.submissions.services import drafts, partner_merges
from integrations.submissions.workflow.states import Status
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.core.errors import ActionRefused
from portal.directory.models import Listing
from portal.notifications.models import EmailMessage
from portal.search.models import Kind
from portal.search.queries import search
from portal.webhooks.services import create_endpoint
from tests.conftest import create_integration, create_user
from tests.integrations.page_text import find_text
from tests.integrations.partners.memberships import get_membership, join
from tests.integrations.submissions.signatures import RITA, TPA, sign

SignIn = Callable[[Any], Client]


@pytest.fixture
def merge_acme(acme: Partner, globex: Partner, sam: Any, now: datetime) -> Callable[[], None]:
    """Merge Acme into Globex."""
    return lambda: partner_merges.merge_partners(acme, globex, "One company since May.", actor=sam, now=now)


def test_merge_moves_all_records_and_closes_the_source(
    integration_at: Callable[..., Integration],
    acme: Partner,
    globex: Partner,
    alice: Any,
    bob: Any,
    charlie: Any,
    rita: Any,
    now: datetime,
    merge_acme: Callable[[], None],
) -> None:
    row = integration_at("support")
    sign(row, alice, now)
    draft = drafts.create_draft(acme, "consul", actor=bob, now=now)
    merge_acme()
    acme.refresh_from_db()
    assert (acme.verification_state, acme.merged_into) == ("closed", globex)
    assert Integration.objects.get().partner == globex
    assert [each.partner_id for each in (*globex.agreements.all(), *globex.drafts.all())] == [globex.pk] * 2
    assert globex.drafts.get() == draft
    assert [get_membership(globex, user).role for user in (alice, bob, charlie)] == ["editor", "editor", "owner"]
    assert acme.memberships.filter(ended_at=None).count() == 0
    assert [(each.partner, each.publisher) for each in Listing.objects.all()] == [(globex, "Globex")]


@pytest.mark.any_database
def test_both_companies_have_events_and_people_are_notified_once(
    rocket: Integration, acme: Partner, globex: Partner, alice: Any, charlie: Any, merge_acme: Callable[[], None]
) -> None:
    EmailMessage.objects.all().delete()
    merge_acme()
    counts = {"members": 1, "integrations": ["Rocket"], "agreements": 0, "drafts": 0}
    closed, merged = (AuditEvent.objects.get(event_type=f"partner.{name}") for name in ("closed", "merged"))
    assert (closed.partner, closed.note, closed.data) == (
        acme,
        "One company since May.",
        {"target": "Globex"} | counts,
    )
    assert (merged.partner, merged.note, merged.data) == (
        globex,
        "One company since May.",
        {"source": "Acme"} | counts,
    )
    assert list(find_chain_faults(AuditEvent.objects.order_by("stream", "seq"))) == []
    assert list(EmailMessage.objects.order_by("pk").values_list("name", "to", "subject")) == [
        ("member_moved", alice.email, "Acme is now part of Globex"),
        ("company_merged", charlie.email, "Acme is now part of Globex"),
    ]


def test_member_of_both_keeps_the_role_in_the_target(
    acme: Partner, globex: Partner, alice: Any, charlie: Any, now: datetime, merge_acme: Callable[[], None]
) -> None:
    join(globex, alice, "viewer", now)
    join(acme, charlie, "viewer", now)
    merge_acme()
    assert (get_membership(globex, alice).role, get_membership(globex, charlie).role) == ("viewer", "owner")


def test_access_and_offers_of_the_source_end(
    acme: Partner, globex: Partner, alice: Any, charlie: Any, now: datetime, merge_acme: Callable[[], None]
) -> None:
    dora = create_user("dora@acme.example", "Dora Dean")
    tokens.create_token("pipeline", ("integrations:read",), 30, actor=alice, now=now, partner=acme)
    values = {"name": "Chat", "event_types": ["integration.approved"], "url": "https://hooks.acme.example/"}
    create_endpoint(acme, values, actor=alice, now=now)
    invitation, _ = members.create_invitation(acme, "fred@acme.example", "editor", actor=alice, now=now)
    request = members.request_to_join(acme, actor=dora, now=now)
    merge_acme()
    invitation.refresh_from_db()
    request.refresh_from_db()
    assert (invitation.revoked_at, request.state) == (now, "declined")
    assert ApiToken.objects.get().revoked_at == now
    endpoint = acme.endpoints.get()
    assert (endpoint.ended_at, bytes(endpoint.url), endpoint.secret) == (now, b"", None)
    with pytest.raises(ActionRefused, match="This company was merged into Globex"):
        members.request_to_join(acme, actor=dora, now=now)


def test_agreement_that_the_target_has_too_stays(
    rocket: Integration,
    acme: Partner,
    globex: Partner,
    alice: Any,
    charlie: Any,
    now: datetime,
    merge_acme: Callable[[], None],
) -> None:
    sign(rocket, alice, now)
    globex.agreements.create(kind=acme.agreements.get().kind, version="2026-01", created_at=now)
    plan = partner_merges.preview_merge(acme, globex)
    assert (plan.agreements, plan.kept_agreements) == ([], [acme.agreements.get()])
    merge_acme()
    assert (acme.agreements.count(), globex.agreements.count()) == (1, 1)


def test_agreement_of_the_source_fulfills_the_requirement_of_the_target(
    rocket: Integration,
    globex: Partner,
    alice: Any,
    charlie: Any,
    rita: Any,
    now: datetime,
    merge_acme: Callable[[], None],
) -> None:
    other = create_integration(globex, charlie, name="Lander")
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA)
    merge_acme()
    states = RequirementFulfillment.objects.filter(integration__in=(rocket, other), requirement_id=TPA)
    assert [(state.status, state.data["version"]) for state in states] == [(Status.SUBMITTED, "2026-01")] * 2


@pytest.mark.any_database
def test_agreement_of_the_target_fulfills_the_requirement_of_the_source(
    rocket: Integration, globex: Partner, charlie: Any, rita: Any, now: datetime, merge_acme: Callable[[], None]
) -> None:
    other = create_integration(globex, charlie, name="Lander")
    sign(other, charlie, now)
    sign(other, rita, now, RITA)
    merge_acme()
    assert rocket.fulfillments.get(requirement_id=TPA).status == Status.SUBMITTED


def test_requirement_waits_for_the_side_that_did_not_sign_the_agreement_of_the_target(
    rocket: Integration,
    globex: Partner,
    alice: Any,
    charlie: Any,
    rita: Any,
    now: datetime,
    merge_acme: Callable[[], None],
) -> None:
    other = create_integration(globex, charlie, name="Lander")
    sign(rocket, alice, now)
    sign(other, rita, now, RITA)
    merge_acme()
    state = rocket.fulfillments.get(requirement_id=TPA)
    assert (state.status, state.data["waits_for"], state.summary) == (
        Status.AWAITING_OTHER_PARTY,
        "partner",
        "Version 2026-01, signed by Rita Reyes",
    )
    row = Integration.objects.get(pk=rocket.pk)
    assert sign(row, charlie, now).is_complete
    assert rocket.fulfillments.get(requirement_id=TPA).status == Status.SUBMITTED


def test_version_completed_last_is_in_force_after_the_merge(
    acme: Partner, globex: Partner, now: datetime, merge_acme: Callable[[], None]
) -> None:
    day = timedelta(days=1)
    globex.agreements.create(kind="tpa", version="2026-01", created_at=now, completed_at=now)
    acme.agreements.create(kind="tpa", version="2025-01", created_at=now - day, completed_at=now - day)
    merge_acme()
    rows = select_agreements().filter(partner=globex).order_by("version").values_list("version", "state")
    assert list(rows) == [("2025-01", "replaced"), ("2026-01", "in_force")]


def test_rejected_agreement_moves_next_to_the_version_of_the_target(
    acme: Partner, globex: Partner, now: datetime, merge_acme: Callable[[], None]
) -> None:
    acme.agreements.create(kind="tpa", version="2026-01", created_at=now, rejected_at=now)
    globex.agreements.create(kind="tpa", version="2026-01", created_at=now)
    merge_acme()
    assert (acme.agreements.count(), globex.agreements.count()) == (0, 2)


@pytest.mark.any_database
def test_pages_of_the_source_redirect_to_the_target(
    integration_at: Callable[..., Integration],
    sign_in: SignIn,
    alice: Any,
    charlie: Any,
    merge_acme: Callable[[], None],
    client: Client,
) -> None:
    integration_at("support")
    merge_acme()
    public = client.get("/partners/acme/")
    assert (public.status_code, public["Location"]) == (301, "/partners/globex/")
    assert "Rocket" in client.get("/partners/globex/").text
    assert sign_in(alice).get("/company/acme/")["Location"] == "/company/globex/"


def test_staff_see_what_moves_and_merge(
    sign_in: SignIn, rocket: Integration, alice: Any, charlie: Any, sam: Any, acme: Partner
) -> None:
    client = sign_in(sam)
    url = "/companies/acme/merge/?into=globex"
    assert [name in find_text(client.get(url), "#preview") for name in ("Rocket", "Alice Archer")] == [True, True]
    for fields in ({"note": "", "confirm_name": "Acme"}, {"note": "One company.", "confirm_name": "Globex"}):
        assert client.post(url, fields).status_code == 422
    page = client.post(url, {"note": "One company.", "confirm_name": "Acme"}, follow=True)
    assert "Acme is now part of Globex." in find_text(page)
    assert "This partner is now part of Globex" in find_text(client.get("/companies/acme/"), "#verification")
    assert client.get("/companies/acme/merge/").status_code == 404


def test_companies_merged_earlier_move_to_the_target(acme: Partner, globex: Partner, sam: Any, now: datetime) -> None:
    fields = {"merged_into": acme, "verification_state": "closed", "created_at": now}
    earlier = Partner.objects.create(name="Initech", slug="initech", **fields)
    partner_merges.merge_partners(acme, globex, "One company since May.", actor=sam, now=now)
    assert sorted(each.name for each in globex.merged_partners.all()) == ["Acme", earlier.name]


@pytest.mark.parametrize("who", ["rita", "alice", "charlie"])
def test_only_staff_merge(acme: Partner, globex: Partner, now: datetime, who: str, request: Any) -> None:
    with pytest.raises(ActionRefused, match="Only staff can merge"):
        partner_merges.merge_partners(acme, globex, "Mine.", actor=request.getfixturevalue(who), now=now)


def test_staff_cannot_merge_their_own_company(acme: Partner, globex: Partner, sam: Any, now: datetime) -> None:
    join(globex, sam, "viewer", now)
    with pytest.raises(ActionRefused, match="their own company"):
        partner_merges.merge_partners(acme, globex, "Mine.", actor=sam, now=now)


def test_invalid_merge_is_refused(acme: Partner, globex: Partner, sam: Any, now: datetime) -> None:
    for source, target, note, message in (
        (acme, globex, " ", "Enter a reason"),
        (acme, acme, "x", "Select another company"),
    ):
        with pytest.raises(ActionRefused, match=message):
            partner_merges.merge_partners(source, target, note, actor=sam, now=now)
    Partner.objects.filter(pk=globex.pk).update(verification_state="unverified")
    with pytest.raises(ActionRefused, match="Globex is not verified"):
        partner_merges.merge_partners(acme, globex, "x", actor=sam, now=now)


def test_search_finds_the_integrations_with_the_new_company(
    rocket: Integration, acme: Partner, charlie: Any, merge_acme: Callable[[], None]
) -> None:
    assert search(charlie, "rocket", 10) == []
    merge_acme()
    assert [(hit.title, hit.subtitle) for hit in search(charlie, "rocket", 10)] == [
        ("Rocket", "Globex"),
        ("acme/terraform-provider-rocket", "Rocket · Globex"),
    ]
    assert [hit.title for hit in search(charlie, "globex", 10) if hit.kind == Kind.PARTNER] == ["Globex"]


def test_conflicts_of_the_source_count_for_the_target(
    acme: Partner, globex: Partner, rita: Any, rob: Any, now: datetime, merge_acme: Callable[[], None]
) -> None:
    join(acme, rita, "editor", now - timedelta(days=9), ended_at=now - timedelta(days=8))
    marked = {"kind": "marked", "recorded_at": now}
    acme.conflicts.create(user=rob, reason="I worked there.", **marked)
    globex.conflicts.create(user=rob, reason="A mix-up.", removed_at=now, **marked)
    uma = create_user("uma@program.example", "Uma", is_reviewer=True)
    acme.conflicts.create(user=uma, reason="A mix-up.", removed_at=now, **marked)
    globex.conflicts.create(user=uma, reason="I work there.", **marked)
    merge_acme()
    rows = globex.conflicts.order_by("user__name").values_list("user__name", "kind", "reason", "removed_at")
    assert list(rows) == [
        ("Rita Reyes", "former_member", "Former member of this company", None),
        ("Rob Roth", "marked", "I worked there.", None),
        ("Uma", "marked", "I work there.", None),
    ]
    events = AuditEvent.objects.filter(partner=globex, event_type="partner.conflict_recorded")
    assert sorted(event.data["name"] for event in events) == ["Rita Reyes", "Rob Roth"]
