"""Tests of agreement services."""

from datetime import timedelta

import pytest

from integrations.programs.agreements import compute_digest
from integrations.submissions.models import Agreement, AgreementSignature, Integration
from integrations.submissions.services import agreements, requirements as answers
from integrations.submissions.services.agreements import Signature
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from tests.conftest import create_integration
from tests.integrations.submissions.signatures import ALICE, MNDA, RITA, TPA, publish_version, sign

pytestmark = pytest.mark.any_database


def get_status(row, requirement_id=TPA):
    state = Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=requirement_id)
    return state.status, state.data.get("waits_for", "")


def list_event_types(row):
    return list(row.events.values_list("event_type", flat=True))[1:]


def test_partner_signs_first(rocket, alice, now):
    sign(rocket, alice, now)
    assert get_status(rocket) == (Status.AWAITING_OTHER_PARTY, "program")
    assert list_event_types(rocket) == ["agreement.signed_by_partner"]


@pytest.mark.every_database
def test_signature_records_person_title_statement_and_time(rocket, alice, now):
    agreement = sign(rocket, alice, now)
    rows = AgreementSignature.objects.values_list("user", "side", "signer", "title", "statement", "signed_at", "zone")
    assert list(rows) == [(alice.pk, "partner", ALICE.signer, ALICE.title, ALICE.statement, now, "UTC")]
    assert agreement.digest == compute_digest(agreement.text)
    assert rocket.events.last().data["digest"] == agreement.digest


def test_signed_text_keeps_the_name_of_the_company(rocket, alice, rita, now):
    signed = sign(rocket, alice, now)
    rocket.partner.name = "Acme Rockets"
    rocket.partner.save()
    current = agreements.get_current_agreement(rocket.partner, "tpa")
    assert (current.text, "Acme Rockets" in current.text) == (signed.text, False)
    assert sign(rocket, rita, now, RITA).is_complete


def test_program_countersigns(rocket, alice, rita, now):
    sign(rocket, alice, now)
    signed = sign(rocket, rita, now, RITA)
    event = rocket.events.last()
    assert (signed.is_complete, signed.version, get_status(rocket)) == (True, "2026-01", (Status.SUBMITTED, ""))
    assert event.event_type == "agreement.completed"
    assert (event.data["partner_signer"], event.data["partner_title"]) == ("Alice Archer", "CEO")
    assert event.data["program_signed_at"] == now.isoformat()


def test_program_signs_first(rocket, alice, rita, now):
    sign(rocket, rita, now, RITA)
    assert get_status(rocket) == (Status.AWAITING_OTHER_PARTY, "partner")
    assert sign(rocket, alice, now).is_complete
    assert list_event_types(rocket) == ["agreement.signed_by_program", "agreement.completed"]


def test_signature_of_a_changed_text_is_refused(rocket, alice, now):
    with pytest.raises(ActionRefused, match="Read the agreement again") as refusal:
        agreements.sign_agreement(rocket, TPA, ALICE, digest="0" * 64, actor=alice, now=now)
    assert (refusal.value.kind, Agreement.objects.count()) == ("conflict", 0)


@pytest.mark.every_database
def test_own_signature_can_be_corrected_before_the_other_side_signs(rocket, alice, now):
    sign(rocket, alice, now)
    sign(rocket, alice, now, Signature("Bob Baker", "CTO", ALICE.statement))
    assert list(AgreementSignature.objects.values_list("signer", "title")) == [("Bob Baker", "CTO")]


@pytest.mark.every_database
def test_signature_sent_twice_is_recorded_once(rocket, alice, rita, now):
    for person, signature in ((alice, ALICE), (alice, ALICE), (rita, RITA), (rita, RITA)):
        sign(rocket, person, now, signature)
    assert list_event_types(rocket) == ["agreement.signed_by_partner", "agreement.completed"]


def test_complete_agreement_cannot_be_signed_again(rocket, alice, rita, now):
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA)
    with pytest.raises(ActionRefused, match="Both sides already signed version 2026-01"):
        sign(rocket, alice, now, Signature("Bob Baker", "CTO", ALICE.statement))


def test_other_partner_cannot_sign(rocket, charlie, now):
    with pytest.raises(ActionRefused, match="Only owners and editors of the company and reviewers"):
        sign(rocket, charlie, now)


def test_agreement_counts_in_every_program(acme, rocket, alice, rita, now):
    vault = create_integration(acme, alice, "vault", name="Keeper")
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA)
    tpa_id = next(r.id for r in vault.edition.list_requirements() if r.agreement == "tpa")
    later = create_integration(acme, alice, "packer", name="Bundler")
    other = next(r.id for r in later.edition.list_requirements() if r.agreement == "tpa")
    assert (get_status(vault, tpa_id), get_status(later, other)) == ((Status.SUBMITTED, ""), (Status.SUBMITTED, ""))


def test_agreement_can_be_completed_from_another_integration(acme, rocket, alice, rita, now):
    vault = create_integration(acme, alice, "vault", name="Keeper")
    tpa_id = next(r.id for r in vault.edition.list_requirements() if r.agreement == "tpa")
    sign(rocket, alice, now)
    assert sign(vault, rita, now, RITA, tpa_id).is_complete
    assert get_status(rocket) == (Status.SUBMITTED, "")


def test_mnda_is_marked_not_applicable(rocket, alice, now):
    answers.mark_not_applicable(rocket, MNDA, actor=alice, now=now)
    assert get_status(rocket, MNDA) == (Status.NOT_APPLICABLE, "")


def test_mnda_that_was_not_applicable_can_be_signed(rocket, alice, now):
    answers.mark_not_applicable(rocket, MNDA, actor=alice, now=now)
    sign(rocket, alice, now, requirement_id=MNDA)
    assert get_status(rocket, MNDA) == (Status.AWAITING_OTHER_PARTY, "program")


@pytest.mark.every_database
def test_version_in_force_stays_until_both_signed_the_next(rocket, alice, rita, now, monkeypatch):
    sign(rocket, alice, now)
    complete = sign(rocket, rita, now, RITA)
    publish_version(monkeypatch)
    agreement = sign(rocket, alice, now + timedelta(days=1))
    assert agreements.get_agreement_in_force(rocket.partner, "tpa") == complete
    sign(rocket, rita, now + timedelta(days=1), RITA)
    assert agreements.get_agreement_in_force(rocket.partner, "tpa") == agreement
    assert rocket.fulfillments.get(requirement_id=TPA).data["version"] == "2027-01"
    assert list(Agreement.objects.order_by("pk").values_list("version", flat=True)) == ["2026-01", "2027-01"]


@pytest.mark.every_database
@pytest.mark.parametrize(("transition", "minutes"), [("reopen", 10), ("undo_decision", 1)])
@pytest.mark.parametrize(
    ("signers", "status"),
    [
        (["rita"], (Status.AWAITING_OTHER_PARTY, "partner")),
        (["alice", "rita"], (Status.SUBMITTED, "")),
    ],
)
def test_agreement_signed_during_a_withdrawal_counts_after_it(
    acme, rocket, alice, rita, now, request, transition, minutes, signers, status
):
    lander = create_integration(acme, alice, name="Lander")
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    for name in signers:
        sign(lander, request.getfixturevalue(name), now)
    assert not rocket.fulfillments.filter(requirement_id=TPA).exists()
    perform_transition(rocket, transition, actor=alice, now=now + timedelta(minutes=minutes))
    assert get_status(rocket) == status
