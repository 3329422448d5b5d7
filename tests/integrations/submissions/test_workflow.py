"""How is a step taken?"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import findings
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import actions, perform
from portal.core.errors import NotAllowed
from tests.conftest import begin, meet

At = Callable[..., Integration]


def fresh(row: Integration) -> Integration:
    return Integration.objects.get(pk=row.pk)


def verbs(row: Integration) -> list[str]:
    return list(row.events.order_by("seq").values_list("verb", flat=True))


def test_a_new_integration_stands_at_the_first_place_and_is_the_partners_turn(rocket: Integration) -> None:
    assert (rocket.stage, rocket.step, rocket.turn_holder) == ("engage", "engage", "partner")
    assert verbs(rocket) == ["created"]


def test_a_step_is_refused_while_a_requirement_is_open_and_says_which(
    rocket: Integration, alice: Any, now: datetime
) -> None:
    with pytest.raises(NotAllowed, match="Still open: ") as refusal:
        perform(rocket, "advance", by=alice, now=now)
    assert refusal.value.kind == "ready"
    assert fresh(rocket).step == "engage"
    assert verbs(rocket) == ["created"]


def test_the_whole_path_of_nomad_is_walked(at: At) -> None:
    row = at("support")
    assert (row.stage, row.step, row.standing, row.tier) == (
        "support",
        "support",
        "verified",
        row.edition.release_tier.key,
    )
    assert (row.turn_holder, row.turn_action) == ("machine", "Nothing to do: the portal keeps watch")
    taken = [v for v in verbs(row) if v not in ("answered", "checked")]
    assert taken == ["created", "advance", "advance", "request_review", "approve", "release"]


@pytest.mark.parametrize("who", ["charlie", "rita", "sam"])
def test_only_the_company_takes_the_partners_steps(rocket: Integration, who: str, request: Any, now: datetime) -> None:
    user = request.getfixturevalue(who)
    with pytest.raises(NotAllowed, match="Only owners and editors") as refusal:
        perform(rocket, "advance", by=user, now=now)
    assert refusal.value.kind == "may"


def test_a_reviewer_never_decides_on_their_own_companys_integration(
    at: At, rita: Any, acme: Partner, now: datetime
) -> None:
    row = at("review")
    acme.memberships.create(user=rita, role="viewer", joined_at=now)
    with pytest.raises(NotAllowed, match="never on their own"):
        perform(row, "decline", by=rita, note="No.", now=now)


def test_changes_are_requested_answered_and_verified(at: At, alice: Any, rita: Any, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    with pytest.raises(NotAllowed, match="at least one finding"):
        perform(row, "request_changes", by=rita, now=now)
    finding = findings.raise_finding(row, "NO-3", "Add acceptance tests.", by=rita, now=now)
    perform(row, "request_changes", by=rita, note="Nearly there.", now=now)
    row = fresh(row)
    assert (row.stage, row.review_state, row.turn_holder, row.turn_action) == (
        "review", "changes", "partner", "Answer 1 finding",
    )  # fmt: skip
    with pytest.raises(NotAllowed, match="1 of the findings wait"):
        perform(row, "request_again", by=alice, now=now)
    findings.fix_finding(finding, "Added in v1.1.0.", by=alice, now=now)
    with pytest.raises(NotAllowed, match="can still be undone"):
        perform(row, "request_again", by=alice, now=now + timedelta(minutes=9))
    now += timedelta(minutes=10)
    perform(row, "request_again", by=alice, now=now)
    row = fresh(row)
    assert (row.review_round, row.turn_holder, row.reasons) == (2, "program", ["review round 2", "answered 1 finding"])
    meet(row, alice, now)
    with pytest.raises(NotAllowed, match="Each finding must be verified"):
        perform(row, "approve", by=rita, now=now)
    findings.verify_finding(Finding.objects.get(), by=rita, now=now)
    perform(row, "approve", by=rita, now=now)
    assert fresh(row).stage == "release"


def test_a_decision_can_be_undone_for_ten_minutes(at: At, rita: Any, alice: Any, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    perform(row, "approve", by=rita, now=now)
    perform(row, "undo_decision", by=rita, now=now + timedelta(minutes=9))
    row = fresh(row)
    assert (row.stage, row.step, row.review_state) == ("review", "review", "waiting")
    perform(row, "approve", by=rita, now=now)
    with pytest.raises(NotAllowed, match="final"):
        perform(row, "undo_decision", by=rita, now=now + timedelta(minutes=10))


def test_an_undone_decision_costs_nobody_a_day(at: At, rita: Any, alice: Any, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    before = fresh(row)
    perform(row, "approve", by=rita, now=now + timedelta(minutes=1))
    perform(row, "undo_decision", by=rita, now=now + timedelta(minutes=5))
    after = fresh(row)
    assert (after.turn_since, after.turn_due_at) == (before.turn_since, before.turn_due_at)


def test_while_a_claim_runs_the_decision_is_its_holders(at: At, rita: Any, rob: Any, alice: Any, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    claims.claim(row, by=rita, now=now)
    with pytest.raises(NotAllowed, match="Rita Reyes has it until 09:30 UTC"):
        perform(row, "decline", by=rob, note="No.", now=now)
    perform(row, "decline", by=rob, note="No.", now=now + timedelta(minutes=30))
    assert fresh(row).stage == "declined"


def test_a_combined_summary_is_read_again_when_an_integration_is_added(
    acme: Partner, alice: Any, now: datetime
) -> None:
    first = begin(acme, alice, "terraform-run-task", name="One")
    summary = next(r for r in first.edition.requirements() if any(f.max_lines for f in r.fields))
    answers.answer(first, summary.id, {"summary": "One does this."}, by=alice, now=now)
    second = begin(acme, alice, "terraform-run-task", name="Two")
    state = second.states.get(requirement_id=summary.id)
    assert (state.status, state.data) == ("open", {"summary": "One does this."})


def test_declining_needs_a_reason_and_can_be_undone(rocket: Integration, rita: Any, now: datetime) -> None:
    with pytest.raises(NotAllowed, match="Say why"):
        perform(rocket, "decline", by=rita, note="  ", now=now)
    perform(rocket, "decline", by=rita, note="Not a fit for Nomad.", now=now)
    assert (fresh(rocket).stage, fresh(rocket).turn_holder) == ("declined", "")
    perform(rocket, "undo_decision", by=rita, now=now)
    assert (fresh(rocket).stage, fresh(rocket).turn_holder) == ("engage", "partner")


def test_a_withdrawn_integration_is_opened_again_where_it_was(
    rocket: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    perform(rocket, "withdraw", by=alice, now=now)
    with pytest.raises(NotAllowed, match="opened again by its company"):
        perform(rocket, "reopen", by=rita, now=now)
    perform(rocket, "reopen", by=alice, now=now)
    assert (fresh(rocket).stage, fresh(rocket).step) == ("engage", "engage")


def test_on_hold_names_for_whom_and_blocks_every_step_but_the_end(
    rocket: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    perform(rocket, "put_on_hold", by=rita, note="Legal reads the agreement.", waits_for="third_party", now=now)
    row = fresh(rocket)
    assert (row.turn_holder, row.turn_action) == ("third_party", "On hold: Legal reads the agreement.")
    meet(row, alice, now)
    with pytest.raises(NotAllowed, match="On hold: Legal"):
        perform(row, "advance", by=alice, now=now)
    perform(row, "resume", by=rita, now=now)
    assert fresh(row).turn_holder == "partner"


def test_a_step_from_an_old_page_says_who_was_faster(at: At, rita: Any, rob: Any, alice: Any, now: datetime) -> None:
    row = at("review")
    perform(row, "decline", by=rita, note="No longer needed.", now=now)
    with pytest.raises(NotAllowed, match="Rita Reyes was faster: “decline”") as refusal:
        perform(row, "approve", by=rob, version=row.version, now=now)
    assert refusal.value.kind == "stale"


def test_who_may_not_take_a_step_hears_that_first_wherever_it_stands(at: At, alice: Any, rita: Any) -> None:
    """Also from an old page and after the step is gone; who could have taken it hears what became of it."""
    row = at("review")
    said = []
    for step, by in (("release", alice), ("advance", rita), ("approve", alice), ("release", rita), ("advance", alice)):
        with pytest.raises(NotAllowed) as refusal:
            perform(row, step, by=by, version=None if step != "approve" else 0)
        said.append(refusal.value.kind)
    assert said == ["may", "may", "may", "gone", "gone"]


def test_a_step_that_no_program_knows_is_refused(rocket: Integration, alice: Any, now: datetime) -> None:
    with pytest.raises(NotAllowed):
        perform(rocket, "__init__", by=alice, now=now)


def test_steps_that_follow_from_others_are_never_taken_by_hand(at: At, rita: Any, sam: Any, now: datetime) -> None:
    row = at("support")
    for user in (rita, sam, None):
        with pytest.raises(NotAllowed, match="by itself"):
            perform(row, "unlist", by=user, now=now)


def test_buttons_show_what_blocks_them(rocket: Integration, alice: Any, rita: Any) -> None:
    mine = {a.name: a.is_ready for a in actions(rocket, alice)}
    theirs = {a.name: a.is_ready for a in actions(rocket, rita)}
    assert mine == {"advance": False, "request_review": False, "withdraw": True}
    assert theirs == {"decline": True, "put_on_hold": True, "resume": False}


def test_a_waiver_counts_until_it_ends(rocket: Integration, rita: Any, now: datetime) -> None:
    blocked = [m for m in rocket.edition.requirements() if rocket.edition.deadline(m) == 1 and not m.optional]
    for requirement in blocked:
        answers.waive(
            rocket, requirement.id, reason="Known from before.", until=now + timedelta(days=30), by=rita, now=now
        )
    row = fresh(rocket)
    assert (row.turn_action, row.wake_at) == ("Complete Engage", now + timedelta(days=30))
    from integrations.submissions.tasks import refresh_due

    assert refresh_due(now + timedelta(days=29)) == 0
    assert refresh_due(now + timedelta(days=30)) == 1
    assert fresh(rocket).turn_action != "Complete Engage"
    assert refresh_due(now + timedelta(days=31)) == 0


def test_the_history_refuses_to_be_changed(rocket: Integration) -> None:
    from django.db import DatabaseError, connection, transaction

    event = rocket.events.get()
    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        rocket.events.all().update(note="x")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE audit_event SET note = 'x'")


def test_what_the_company_gives_once_reaches_its_other_integrations(acme: Partner, alice: Any, now: datetime) -> None:
    first, second = begin(acme, alice), begin(acme, alice, "vault", name="Rocket secrets")
    shared = next(r for r in first.edition.requirements() if r.agreement == "tpa")
    twin = next(r for r in second.edition.requirements() if r.agreement == "tpa")
    answers.answer(first, shared.id, {"version": "2026"}, by=alice, now=now)
    third = begin(acme, alice, "nomad", name="Rocket storage")
    assert second.states.get(requirement_id=twin.id).data == {"version": "2026"}
    assert third.states.get(requirement_id=shared.id).status == "given"


def test_the_turn_that_is_stored_is_the_turn_that_is_derived(at: At, now: datetime) -> None:
    from integrations.submissions.selectors.context import facts_of
    from integrations.submissions.workflow.states import turn_of

    for stage in ("engage", "develop", "review", "release", "support"):
        row = at(stage, name=f"Rocket {stage}")
        turn = turn_of(facts_of(row, now))
        assert turn is not None
        assert (row.turn_holder, row.turn_action) == (turn.holder, turn.action)
