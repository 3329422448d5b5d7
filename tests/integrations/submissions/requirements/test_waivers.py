"""What the machine found is shown; a reviewer waives for a reason until a day."""

from datetime import timedelta

import pytest

from integrations.submissions.services import requirements
from integrations.submissions.workflow.states import Status
from portal.audit.event_types import words_of
from tests.conftest import begin
from tests.integrations.submissions.requirements.pages import CHECKED, place, press, read, state


@pytest.fixture
def checked(acme, alice, now):
    row = begin(acme, alice, category="storage")
    found = {
        "key": "repository.licence", "title": "Open-source licence", "advice": "Add a LICENSE file.",
        "outcome": "fail", "summary": "There is no licence.", "looked_at": "commit 9f3c1e",
        "evidence": [{"label": "Files", "value": "README.md", "url": ""}],
    }  # fmt: skip
    requirements.record_checks(
        row, CHECKED, outcome=Status.FAIL, summary="There is no licence.", detail=[found], retry_at=None, now=now
    )
    return row


def test_check_shows_what_was_found(checked, alice, sign_in):
    words = read(sign_in(alice).get(place(checked, CHECKED)))
    for said in ("Open-source licence", "There is no licence.", "Add a LICENSE file.", "commit 9f3c1e", "README.md"):
        assert said in words


def test_requirement_of_another_category(checked, alice, sign_in):
    page = sign_in(alice).get(place(checked, "NO-CODE"))
    assert "This is for other categories" in read(page)
    press(sign_in(alice), checked, "NO-CODE", "confirm", confirmed="on")
    assert state(checked, "NO-CODE") is None


def test_waived_by_a_reviewer(checked, rita, alice, sign_in):
    answer = press(sign_in(rita), checked, CHECKED, "waive", reason="They publish it in May.", until="2026-05-31")
    assert answer.status_code == 302
    words = read(sign_in(alice).get(place(checked, CHECKED)))
    assert "They publish it in May." in words
    assert state(checked, CHECKED).waived_until.isoformat() == "2026-05-31T23:59:00+00:00"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"reason": "", "until": "2026-05-31"}, "Say why"),
        ({"reason": "x", "until": "2026-04-13"}, "A waiver needs an end in the future."),
        ({"reason": "x", "until": "2029-04-13"}, "A waiver lasts two years at most."),
        ({"reason": "x", "until": ""}, "Answer this question."),
    ],
)
def test_waiver_that_cannot_be(checked, rita, sign_in, fields, sentence):
    answer = press(sign_in(rita), checked, CHECKED, "waive", **fields)
    assert answer.status_code == 422
    assert sentence in read(answer)


def test_waived_by_the_company(checked, alice, sign_in):
    answer = press(sign_in(alice), checked, CHECKED, "waive", reason="x", until="2026-05-31")
    assert (answer.status_code, state(checked, CHECKED).waived_until) == (403, None)


WAIVED_UNTIL = timedelta(days=9)


@pytest.fixture
def waived(checked, rita, now):
    requirements.waive(checked, CHECKED, reason="x", until=now + WAIVED_UNTIL, by=rita, now=now)
    return checked


def test_waiver_ended(waived, rita, now, sign_in):
    answer = press(sign_in(rita), waived, CHECKED, "end_waiver", reason="The licence is missing since March.")
    assert (answer.status_code, state(waived, CHECKED).waived_until) == (302, now)
    event = waived.events.get(verb="waiver_ended")
    title = waived.edition.requirement(CHECKED).title
    assert (event.note, event.data["title"]) == ("The licence is missing since March.", title)
    assert event.data["until"] == (now + WAIVED_UNTIL).isoformat()
    assert words_of(event)[0] == f"ended the waiver of “{title}” early"
    assert "The licence is missing since March." in read(sign_in(rita).get(place(waived, CHECKED)))


def test_waiver_ended_without_a_reason(waived, rita, now, sign_in):
    answer = press(sign_in(rita), waived, CHECKED, "end_waiver", reason=" ")
    assert (answer.status_code, state(waived, CHECKED).waived_until) == (422, now + WAIVED_UNTIL)
    assert "Say why: the company relied on the waiver." in read(answer)


def test_waiver_ended_by_the_company(waived, alice, now, sign_in):
    answer = press(sign_in(alice), waived, CHECKED, "end_waiver", reason="x")
    assert (answer.status_code, state(waived, CHECKED).waived_until) == (403, now + WAIVED_UNTIL)
