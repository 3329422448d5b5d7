"""Tests of the status of a report's emails as a whole, also while they are sent."""

from typing import Any

import pytest
from django.urls import reverse

from portal.accounts.models import User
from portal.jobs.execution import run_due_jobs
from tests.portal.reports.deliveries import HOUR, MONDAY

pytestmark = pytest.mark.any_database


def test_page_asks_for_the_deliveries_until_the_report_is_sent(
    scope: str, sam: User, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(MONDAY - 5 * HOUR, tick=False)
    client = sign_in(sam)
    url = reverse("reports:emails", args=[scope, "2026-W16"])
    htmx = {"HX-Request": "true"}
    pages = [client.get(url)]
    client.post(reverse("reports:send_emails", args=[scope, "2026-W16"]))
    pages += [client.get(url), client.get(url, headers=htmx)]
    run_due_jobs("email", MONDAY - 5 * HOUR)
    pages.append(client.get(url, headers=htmx))
    request = f'hx-get="{url}" hx-trigger="every 2s"'
    assert [(request in page.text, "<html" in page.text) for page in pages] == [
        (False, True),
        (True, True),
        (True, False),
        (False, False),
    ]


def test_page_is_restored_as_a_whole(scope: str, sam: User, sign_in: Any) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    page = sign_in(sam).get(reverse("reports:emails", args=[scope, "2026-W16"]), headers=headers)
    assert "<html" in page.text


def test_report_without_recipients_says_only_that(scope: str, sam: User, sign_in: Any) -> None:
    page = sign_in(sam).get(reverse("reports:emails", args=["program:nomad", "2026-W16"])).text
    assert ("No recipients." in page, "All subscribers have an email" in page) == (True, False)
