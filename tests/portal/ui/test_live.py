"""Tests of the parts of pages that ask for themselves."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.template import engines
from django.urls import reverse

from tests.conftest import NOW, advance_to_stage, create_integration
from verification.checks.services.runs import request_check_run

pytestmark = pytest.mark.any_database


def render_live(source: str, **context: object) -> Any:
    return BeautifulSoup(engines["django"].from_string(source).render(context), "html.parser").div


def poll(client: Any, url: str, selector: str, shown: str) -> Any:
    """Ask for a part of a page as htmx does, with the digest of what the page shows."""
    part = BeautifulSoup(shown, "html.parser").select_one(selector)
    assert part is not None
    headers = {"HX-Request": "true", "HX-Trigger": part["id"], **json.loads(str(part["hx-headers"]))}
    assert str(part["hx-get"]).startswith(url)
    return client.get(part["hx-get"], headers=headers)


def test_part_with_a_url_asks_for_itself() -> None:
    part = render_live(
        '{% live id="x" url="/x/?a=1&b=2" every="9s" css_class="stack" announced=True %}<p>1</p>{% endlive %}'
    )
    names = ("id", "class", "aria-live", "hx-get", "hx-trigger", "hx-swap")
    assert [part[name] for name in names] == ["x", ["stack"], "polite", "/x/?a=1&b=2", "every 9s", "outerHTML"]
    assert part.p.text == "1"


def test_part_without_a_url_stays_as_it_is() -> None:
    assert render_live('{% live id="x" url=missing %}1{% endlive %}').attrs == {"id": "x"}


def test_digest_changes_with_the_content_but_not_with_the_token() -> None:
    source = '{% live id="x" url="/" %}<p>{{ text }}</p>{% csrf_token %}{% endlive %}'
    pairs = [("1", "token1"), ("1", "token2"), ("2", "token2")]
    digests = [render_live(source, text=text, csrf_token=token)["hx-headers"] for text, token in pairs]
    assert [digest == digests[0] for digest in digests] == [True, True, False]


@pytest.mark.parametrize(("address", "selector"), [("/status/", "#status"), ("/sla/?state=all", "#results")])
def test_poll_answers_with_the_part_only_if_it_changed(
    sign_in: Any, rita: Any, time_machine: Any, address: str, selector: str
) -> None:
    time_machine.move_to(NOW, tick=False)
    client = sign_in(rita)
    page = client.get(address).text
    unchanged = poll(client, address, selector, page)
    assert (unchanged.status_code, unchanged.text) == (304, "")
    changed = poll(client, address, selector, re.sub(r'"If-None-Match": "\w+"', '"If-None-Match": "earlier"', page))
    assert (changed.status_code, "<html" in changed.text, 'hx-trigger="every' in changed.text) == (200, False, True)


def test_status_page_shows_the_time_of_each_measurement(sign_in: Any, rita: Any, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    client = sign_in(rita)
    page = client.get("/status/").text
    time_machine.move_to(NOW + timedelta(minutes=1), tick=False)
    assert poll(client, "/status/", "#status", page).status_code == 200


def test_status_page_updates_each_line_by_itself(sign_in: Any, rita: Any, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    client = sign_in(rita)
    page = client.get("/status/").text
    time_machine.move_to(NOW + timedelta(minutes=1), tick=False)
    update = BeautifulSoup(poll(client, "/status/", "#status", page).text, "html.parser")
    assert {each["hx-swap-oob"] for each in update.select("[data-digest]")} == {"true"}
    digests = [
        {each["id"]: each["data-digest"] for each in part.select("[data-digest]")}
        for part in (BeautifulSoup(page, "html.parser"), update)
    ]
    assert len(digests[0]) > 10
    assert digests[1] == digests[0]
    measured = update.select_one("#status")
    assert measured is not None
    assert "Measured" in measured.text
    assert measured.select("[data-digest]") == []


def test_poll_during_a_check_run_answers_only_after_another_check(
    sign_in: Any, acme: Any, alice: Any, rita: Any
) -> None:
    integration = advance_to_stage(create_integration(acme, alice), "review", partner=alice, reviewer=rita)
    request_check_run(integration, actor=alice, now=NOW)
    client = sign_in(alice)
    address = reverse("checks:results", args=[integration.uuid])
    page = client.get(address).text
    assert poll(client, address, "#check-head", page).status_code == 304


@pytest.mark.parametrize("address", ["/status/", "/sla/"])
def test_live_page_is_restored_as_a_whole(sign_in: Any, rita: Any, address: str) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true", "HX-Trigger": "results"}
    assert "<html" in sign_in(rita).get(address, headers=headers).text


def test_new_filters_of_the_sla_page_bring_its_links(sign_in: Any, rita: Any) -> None:
    page = sign_in(rita).get("/sla/?program=nomad", headers={"HX-Request": "true"}).text
    assert 'id="links"' in page
    assert 'id="filter-clear"' in page


def test_first_poll_of_the_queue_changes_nothing(sign_in: Any, rita: Any, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    client = sign_in(rita)
    element = BeautifulSoup(client.get("/queue/").text, "html.parser").select_one('[hx-trigger="every 20s"]')
    assert element is not None
    headers = {"HX-Request": "true", **json.loads(str(element["hx-headers"]))}
    assert client.get("/queue/", headers=headers).status_code == 304
