"""Tests of agreement services."""

from datetime import date, timedelta

import pytest

from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import agreements
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.agreements import AgreementSignature
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from tests.conftest import begin
from tests.integrations.submissions.test_documents import build_validated_file

TPA, MNDA = "NO-8", "NO-2"
ALICE = AgreementSignature("Alice Archer", date(2026, 4, 10))
RITA = AgreementSignature("Rita Reyes", date(2026, 4, 13))


def sign(row, by, now, signature=ALICE, version="2026-01", requirement_id=TPA, **more):
    return agreements.sign_agreement(row, requirement_id, signature, version=version, actor=by, now=now, **more)


def get_status(row, requirement_id=TPA):
    state = Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=requirement_id)
    return state.status, state.data.get("waits_for", "")


def turn(row):
    row = Integration.objects.get(pk=row.pk)
    return row.responsible_party, row.next_action_label, row.reason_labels


def verbs(row):
    return list(row.events.values_list("event_type", flat=True))[1:]


def test_partner_signs_first(rocket, alice, now):
    sign(rocket, alice, now)
    assert get_status(rocket) == (Status.AWAITING_OTHER_PARTY, "program")
    assert verbs(rocket) == ["agreement.signed_by_partner"]


def test_program_countersigns(rocket, alice, rita, now):
    sign(rocket, alice, now)
    signed = sign(rocket, rita, now, RITA, version="")
    event = rocket.events.last()
    assert (signed.is_complete, signed.version, get_status(rocket)) == (True, "2026-01", (Status.SUBMITTED, ""))
    assert event.event_type == "agreement.completed"
    assert event.data["company_signer"] == "Alice Archer"
    assert event.data["program_signed_on"] == "2026-04-13"


def test_program_signs_first(rocket, alice, rita, now):
    sign(rocket, rita, now, RITA)
    assert get_status(rocket) == (Status.AWAITING_OTHER_PARTY, "partner")
    assert sign(rocket, alice, now, version="").is_complete
    assert verbs(rocket) == ["agreement.signed_by_program", "agreement.completed"]


def test_other_version_than_the_other_side(rocket, alice, rita, now):
    sign(rocket, alice, now)
    with pytest.raises(ActionRefused, match="Alice Archer signed version 2026-01"):
        sign(rocket, rita, now, RITA, version="2025-01")


def test_first_signature_without_a_version(rocket, alice, now):
    with pytest.raises(ActionRefused, match="Enter the signed version"):
        sign(rocket, alice, now, version="")


def test_own_part_corrected_before_the_other_side(rocket, alice, now):
    sign(rocket, alice, now)
    sign(rocket, alice, now, AgreementSignature("Bob Baker", ALICE.signed_on), version="2026-02")
    assert list(Agreement.objects.values_list("version", "partner_signer")) == [("2026-02", "Bob Baker")]


def test_signature_sent_twice(rocket, alice, rita, now):
    sign(rocket, alice, now)
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA, version="")
    sign(rocket, rita, now, RITA, version="")
    assert verbs(rocket) == ["agreement.signed_by_partner", "agreement.completed"]


def test_other_signature_on_a_complete_one(rocket, alice, rita, now):
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA, version="")
    with pytest.raises(ActionRefused, match="Both sides already signed"):
        sign(rocket, alice, now, AgreementSignature("Bob Baker", ALICE.signed_on))


@pytest.mark.parametrize(
    ("day", "sentence"),
    [(timedelta(days=1), "in the future"), (timedelta(days=-10_000), "Check the signing date")],
)
def test_day_of_signing_that_cannot_be(rocket, alice, now, day, sentence):
    with pytest.raises(ActionRefused, match=sentence):
        sign(rocket, alice, now, AgreementSignature("Alice Archer", (now + day).date()))


def test_signed_today(rocket, alice, now):
    assert sign(rocket, alice, now, AgreementSignature("Alice Archer", now.date())).partner_signed_on == now.date()


def test_foreign_partner_signs(rocket, charlie, now):
    with pytest.raises(ActionRefused, match="Only owners and editors of the company and reviewers"):
        sign(rocket, charlie, now)


def test_agreement_counts_in_every_program(acme, rocket, alice, rita, now):
    vault = begin(acme, alice, "vault", name="Keeper")
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA, version="")
    twin = next(r.id for r in vault.edition.requirements() if r.agreement == "tpa")
    later = begin(acme, alice, "packer", name="Bundler")
    its = next(r.id for r in later.edition.requirements() if r.agreement == "tpa")
    assert (get_status(vault, twin), get_status(later, its)) == ((Status.SUBMITTED, ""), (Status.SUBMITTED, ""))


def test_agreement_begun_elsewhere_is_completed_here(acme, rocket, alice, rita, now):
    vault = begin(acme, alice, "vault", name="Keeper")
    twin = next(r.id for r in vault.edition.requirements() if r.agreement == "tpa")
    sign(rocket, alice, now)
    assert sign(vault, rita, now, RITA, version="", requirement_id=twin).is_complete
    assert get_status(rocket) == (Status.SUBMITTED, "")


def test_document_of_the_agreement_is_replaced(rocket, alice, now, django_capture_on_commit_callbacks):
    first = sign(rocket, alice, now, file=build_validated_file(b"one")).document
    with django_capture_on_commit_callbacks(execute=True):
        second = sign(rocket, alice, now, file=build_validated_file(b"two")).document
    first.refresh_from_db()
    assert (first.removed_at, second.removed_at) == (now, None)


def test_mnda_not_needed(rocket, alice, now):
    answers.mark_not_applicable(rocket, MNDA, actor=alice, now=now)
    assert get_status(rocket, MNDA) == (Status.NOT_APPLICABLE, "")


def test_mnda_signed_after_all(rocket, alice, now):
    answers.mark_not_applicable(rocket, MNDA, actor=alice, now=now)
    sign(rocket, alice, now, requirement_id=MNDA)
    assert get_status(rocket, MNDA) == (Status.AWAITING_OTHER_PARTY, "program")


@pytest.fixture
def complete(rocket, alice, rita, now):
    """Version 2026-01, signed by both sides."""
    sign(rocket, alice, now)
    return sign(rocket, rita, now, RITA, version="")


def test_renewal_leaves_the_version_in_force_until_both_signed(rocket, complete, alice, rita, now):
    later = now + timedelta(days=1)
    agreement = sign(rocket, alice, later, version="2027-01", renews=True)
    assert (get_status(rocket), agreements.get_agreement_in_force(rocket.partner, "tpa")) == (
        (Status.SUBMITTED, ""),
        complete,
    )
    assert agreements.get_latest_agreement(rocket.partner, "tpa") == agreement
    sign(rocket, rita, later, RITA, version="")
    assert agreements.get_agreement_in_force(rocket.partner, "tpa") == agreement
    assert rocket.fulfillments.get(requirement_id=TPA).data["version"] == "2027-01"
    assert verbs(rocket)[2:] == ["agreement.signed_by_partner", "agreement.completed"]


def test_renewal_waits_for_the_other_side_in_support(at, alice, rita, now):
    listed_integration = at("support")
    sign(listed_integration, alice, now)
    sign(listed_integration, rita, now, RITA, version="")
    assert turn(listed_integration) == ("machine", "No action needed. We monitor this integration.", [])
    sign(listed_integration, alice, now, version="2027-01", renews=True)
    title = listed_integration.edition.requirement(TPA).title
    assert turn(listed_integration) == ("program", f"Sign “{title} (renewal)”", [f"{title} (renewal)"])
    sign(listed_integration, rita, now, RITA, version="")
    assert turn(listed_integration)[0] == "machine"


def test_renewal_sent_twice(rocket, complete, alice, now):
    for _ in range(2):
        sign(rocket, alice, now, version="2027-01", renews=True)
    assert Agreement.objects.count() == 2


def test_renewal_under_the_same_version(rocket, complete, alice, now):
    with pytest.raises(ActionRefused, match="Enter a new version for the renewal"):
        sign(rocket, alice, now, AgreementSignature("Bob Baker", ALICE.signed_on), renews=True)


def test_correction_to_a_version_that_is_signed_already(rocket, complete, alice, now):
    sign(rocket, alice, now, version="2027-01", renews=True)
    with pytest.raises(ActionRefused, match="Both sides already signed version 2026-01"):
        sign(rocket, alice, now, version="2026-01")


def test_new_version_without_saying_that_it_renews(rocket, complete, alice, now):
    with pytest.raises(ActionRefused, match="Both sides already signed"):
        sign(rocket, alice, now, version="2027-01")
