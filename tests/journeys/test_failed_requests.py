"""Requests of htmx that fail: what the person sees, and what they can do."""

from collections.abc import Callable
from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Route, expect

from integrations.partners.models import Partner
from tests.conftest import create_integration
from tests.journeys.person import Person

Visit = Callable[..., Person]
GENERAL_ADVICE = "We couldn't update this part of the page. Copy your text, reload the page, and try again."


@pytest.fixture
def partner(visit: Visit, acme: Partner, alice: Any) -> Person:
    """Return Alice on her phone, with the text of a listing entered but not yet submitted."""
    row = create_integration(acme, alice)
    person = visit(alice, phone=True).go(f"/integrations/{row.uuid}/requirements/NO-8-LIST/")
    return person.write("Text", "Runs workloads.")


def submit(partner: Person, answer: Callable[[Route], None]) -> None:
    """Press the button of the form, whose request is answered by the function."""
    partner.page.route("**/requirements/NO-8-LIST/", answer)
    partner.page.get_by_role("button", name="Submit answers").click()


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (500, "", GENERAL_ADVICE),
        (403, "403_csrf.html", GENERAL_ADVICE),
        (413, "413.html", "Nothing has changed. Go back, shorten the text, and submit the form again."),
        (429, "429.html", "Nothing has changed. Try again in a few minutes."),
    ],
)
def test_reason_of_a_failure_is_in_view_until_the_person_tries_again(
    partner: Person, status: int, body: str, advice: str
) -> None:
    page = partner.page
    html = body and render_to_string(body)
    submit(partner, lambda route: route.fulfill(status=status, body=html, content_type="text/html"))
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text(advice)
    expect(notice).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Submit answers")).to_be_focused()
    partner.sees_value("Text", "Runs workloads.").shot(f"failed-request-{status}")
    page.unroute("**/requirements/NO-8-LIST/")
    page.get_by_role("button", name="Submit answers").click()
    partner.sees("You submitted “Listing text”.")
    expect(notice).to_have_count(0)


def test_person_without_a_connection_is_told_so_and_closes_the_notice(partner: Person) -> None:
    submit(partner, lambda route: route.abort())
    notice = partner.page.get_by_role("alert")
    expect(notice).to_contain_text("We couldn't reach the portal. Your input stays on this page.")
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_have_count(0)
    partner.sees_value("Text", "Runs workloads.")


def test_button_fades_while_its_form_is_sent(partner: Person) -> None:
    held = list[Route]()
    submit(partner, lambda route: held.append(route))
    button = partner.page.get_by_role("button", name="Submit answers")
    expect(button).to_have_css("opacity", "0.5")
    held[0].continue_()
    partner.sees("You submitted “Listing text”.")


def test_failure_in_the_command_palette_is_shown_in_it(visit: Visit, alice: Any) -> None:
    page = visit(alice).go("/").page
    page.route("**/palette/*", lambda route: route.abort())
    page.keyboard.press("Control+k")
    notice = page.get_by_role("dialog").get_by_role("alert")
    expect(notice).to_contain_text("We couldn't reach the portal.")
    page.unroute("**/palette/*")
    page.keyboard.type("help")
    expect(page.get_by_role("option").first).to_be_visible()
    expect(notice).to_have_count(0)
