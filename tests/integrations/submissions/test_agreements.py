"""An agreement is complete when both sides signed one version; it counts for all of the company's integrations."""

from datetime import date, timedelta

import pytest

from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import agreements
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.agreements import Signature
from integrations.submissions.workflow.states import Status
from portal.core.errors import NotAllowed
from tests.conftest import begin
from tests.integrations.submissions.test_documents import examined

TPA, MNDA = "NO-8", "NO-2"
ALICE = Signature("Alice Archer", date(2026, 4, 10))
RITA = Signature("Rita Reyes", date(2026, 4, 13))


def sign(row, by, now, signature=ALICE, version="2026-01", requirement_id=TPA, **more):
    return agreements.sign(row, requirement_id, signature, version=version, by=by, now=now, **more)


def told(row, requirement_id=TPA):
    state = Integration.objects.get(pk=row.pk).states.get(requirement_id=requirement_id)
    return state.status, state.data.get("waits_for", "")


def turn(row):
    row = Integration.objects.get(pk=row.pk)
    return row.turn_holder, row.turn_action, row.reasons


def verbs(row):
    return list(row.events.values_list("verb", flat=True))[1:]


def test_company_signs_first(rocket, alice, now):
    sign(rocket, alice, now)
    assert told(rocket) == (Status.WAITING, "program")
    assert verbs(rocket) == ["agreement_to_countersign"]


def test_program_countersigns(rocket, alice, rita, now):
    sign(rocket, alice, now)
    signed = sign(rocket, rita, now, RITA, version="")
    event = rocket.events.last()
    assert (signed.is_complete, signed.version, told(rocket)) == (True, "2026-01", (Status.GIVEN, ""))
    assert event.verb == "agreement_complete"
    assert event.data["company_signer"] == "Alice Archer"
    assert event.data["program_signed_on"] == "2026-04-13"


def test_program_signs_first(rocket, alice, rita, now):
    sign(rocket, rita, now, RITA)
    assert told(rocket) == (Status.WAITING, "partner")
    assert sign(rocket, alice, now, version="").is_complete
    assert verbs(rocket) == ["agreement_to_sign", "agreement_complete"]


def test_other_version_than_the_other_side(rocket, alice, rita, now):
    sign(rocket, alice, now)
    with pytest.raises(NotAllowed, match="Alice Archer signed version 2026-01"):
        sign(rocket, rita, now, RITA, version="2025-01")


def test_first_signature_without_a_version(rocket, alice, now):
    with pytest.raises(NotAllowed, match="which version"):
        sign(rocket, alice, now, version="")


def test_own_part_corrected_before_the_other_side(rocket, alice, now):
    sign(rocket, alice, now)
    sign(rocket, alice, now, Signature("Bob Baker", ALICE.signed_on), version="2026-02")
    assert list(Agreement.objects.values_list("version", "partner_signer")) == [("2026-02", "Bob Baker")]


def test_signature_sent_twice(rocket, alice, rita, now):
    sign(rocket, alice, now)
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA, version="")
    sign(rocket, rita, now, RITA, version="")
    assert verbs(rocket) == ["agreement_to_countersign", "agreement_complete"]


def test_other_signature_on_a_complete_one(rocket, alice, rita, now):
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA, version="")
    with pytest.raises(NotAllowed, match="signed by both sides already"):
        sign(rocket, alice, now, Signature("Bob Baker", ALICE.signed_on))


@pytest.mark.parametrize(
    ("day", "sentence"),
    [(timedelta(days=1), "in the future"), (timedelta(days=-10_000), "Look at the year")],
)
def test_day_of_signing_that_cannot_be(rocket, alice, now, day, sentence):
    with pytest.raises(NotAllowed, match=sentence):
        sign(rocket, alice, now, Signature("Alice Archer", (now + day).date()))


def test_signed_today(rocket, alice, now):
    assert sign(rocket, alice, now, Signature("Alice Archer", now.date())).partner_signed_on == now.date()


def test_foreign_company_signs(rocket, charlie, now):
    with pytest.raises(NotAllowed, match="Only owners and editors of the company and reviewers"):
        sign(rocket, charlie, now)


def test_agreement_counts_in_every_program(acme, rocket, alice, rita, now):
    vault = begin(acme, alice, "vault", name="Keeper")
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA, version="")
    twin = next(r.id for r in vault.edition.requirements() if r.agreement == "tpa")
    later = begin(acme, alice, "packer", name="Bundler")
    its = next(r.id for r in later.edition.requirements() if r.agreement == "tpa")
    assert (told(vault, twin), told(later, its)) == ((Status.GIVEN, ""), (Status.GIVEN, ""))


def test_agreement_begun_elsewhere_is_completed_here(acme, rocket, alice, rita, now):
    vault = begin(acme, alice, "vault", name="Keeper")
    twin = next(r.id for r in vault.edition.requirements() if r.agreement == "tpa")
    sign(rocket, alice, now)
    assert sign(vault, rita, now, RITA, version="", requirement_id=twin).is_complete
    assert told(rocket) == (Status.GIVEN, "")


def test_document_of_the_agreement_is_replaced(rocket, alice, now, django_capture_on_commit_callbacks):
    first = sign(rocket, alice, now, file=examined(b"one")).document
    with django_capture_on_commit_callbacks(execute=True):
        second = sign(rocket, alice, now, file=examined(b"two")).document
    first.refresh_from_db()
    assert (first.removed_at, second.removed_at) == (now, None)


def test_mnda_not_needed(rocket, alice, now):
    answers.not_needed(rocket, MNDA, by=alice, now=now)
    assert told(rocket, MNDA) == (Status.NOT_NEEDED, "")


def test_mnda_signed_after_all(rocket, alice, now):
    answers.not_needed(rocket, MNDA, by=alice, now=now)
    sign(rocket, alice, now, requirement_id=MNDA)
    assert told(rocket, MNDA) == (Status.WAITING, "program")


@pytest.fixture
def complete(rocket, alice, rita, now):
    """Version 2026-01, signed by both sides."""
    sign(rocket, alice, now)
    return sign(rocket, rita, now, RITA, version="")


def test_renewal_leaves_the_version_in_force_until_both_signed(rocket, complete, alice, rita, now):
    later = now + timedelta(days=1)
    renewed = sign(rocket, alice, later, version="2027-01", renews=True)
    assert (told(rocket), agreements.in_force(rocket.partner, "tpa")) == ((Status.GIVEN, ""), complete)
    assert agreements.latest(rocket.partner, "tpa") == renewed
    sign(rocket, rita, later, RITA, version="")
    assert agreements.in_force(rocket.partner, "tpa") == renewed
    assert rocket.states.get(requirement_id=TPA).data["version"] == "2027-01"
    assert verbs(rocket)[2:] == ["agreement_to_countersign", "agreement_complete"]


def test_renewal_waits_for_the_other_side_in_support(at, alice, rita, now):
    listed = at("support")
    sign(listed, alice, now)
    sign(listed, rita, now, RITA, version="")
    assert turn(listed) == ("machine", "Nothing to do: the portal keeps watch", [])
    sign(listed, alice, now, version="2027-01", renews=True)
    title = listed.edition.requirement(TPA).title
    assert turn(listed) == ("program", f"Sign: {title}, renewed", [f"{title}, renewed"])
    sign(listed, rita, now, RITA, version="")
    assert turn(listed)[0] == "machine"


def test_renewal_sent_twice(rocket, complete, alice, now):
    for _ in range(2):
        sign(rocket, alice, now, version="2027-01", renews=True)
    assert Agreement.objects.count() == 2


def test_renewal_under_the_same_version(rocket, complete, alice, now):
    with pytest.raises(NotAllowed, match="a renewal has a version of its own"):
        sign(rocket, alice, now, Signature("Bob Baker", ALICE.signed_on), renews=True)


def test_correction_to_a_version_that_is_signed_already(rocket, complete, alice, now):
    sign(rocket, alice, now, version="2027-01", renews=True)
    with pytest.raises(NotAllowed, match="Version 2026-01 is signed by both sides already"):
        sign(rocket, alice, now, version="2026-01")


def test_new_version_without_saying_that_it_renews(rocket, complete, alice, now):
    with pytest.raises(NotAllowed, match="signed by both sides already"):
        sign(rocket, alice, now, version="2027-01")
