"""Tests of every page for a reviewer without the second factor that production requires."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.utils import timezone

from portal.inbox import calendar_feed
from tests.portal.crawl import Crawl
from tests.portal.page_urls import build_url, list_page_names
from tests.portal.rollback_requests import create_client, send_request

pytestmark = pytest.mark.any_database

SETUP_PAGES = "'Location': '/profile/second-factor/"
# Pages that show the same to everyone. Add a new page only if that is true of it.
PUBLIC_PAGES = {
    "api:docs",
    "api:docs_group",
    "api:openapi",
    "api:not_found",
    "directory:badge",
    "discovery:address",
    "directory:badge_json",
    "directory:badge_key",
    "directory:badge_keys",
    "directory:badge_shields",
    "directory:badge_statement",
    "directory:badge_statement_compact",
    "directory:badge_svg",
    "checks:check_help",
    "checks:help",
    "help:clock_help",
    "directory:feed_atom",
    "directory:feed_json",
    "status:healthz",
    "help:index",
    "directory:list",
    "directory:listing",
    "directory:logo",
    "directory:partner",
    "submissions:program",
    "submissions:programs",
    "directory:robots",
    "directory:run_tasks",
    "directory:sitemap",
    "directory:sitemap_part",
    "help:compliance_help",
    "status:index",
    "status:json",
    "styleguide:styleguide",
    "directory:verify_badge",
    "help:glossary",
}
# Pages authorized by a token in the URL or a machine's credential, whoever is signed in.
TOKEN_PAGES = {
    "inbox:calendar_feed",
    "inbound:github_webhook",
    "inbox:stop",
    "reports:stop",
    "reports:confirm_external",
    "reports:shared_csv",
    "reports:shared_pdf",
    "reports:stop_external",
    "inbound:run_task_callback",
    "inbound:run_task_configuration",
    "inbound:run_task_plan",
}
# Pages that set the factor up, and those needed before that.
ACCOUNT_PAGES = {
    "accounts:email_addresses",
    "account_set_password",
    "accounts:enrollment",
    "accounts:second_factor_required",
    "accounts:sign_in_again",
    "dashboard:theme",
}


@pytest.fixture
def client_without_factor(users: Any, settings: Any) -> Client:
    settings.STAFF_SECOND_FACTOR = "required"
    settings.EMAIL_LOG_PUBLIC = False
    return create_client(users["rita"])


def test_every_other_page_redirects_to_the_setup(
    crawl: Callable[[str], Crawl], world: Any, client_without_factor: Client
) -> None:
    """A new page fails here if it lets a reviewer without the factor in."""
    visitor = crawl("anonymous")
    differing = {}
    for name in sorted(list_page_names() - ACCOUNT_PAGES):
        url = build_url(name, world)
        for method, fields, answers in (("GET", None, visitor.get_responses), ("POST", {}, visitor.post_responses)):
            code, text = send_request(client_without_factor, url, fields)
            expected = answers[name].code if name in PUBLIC_PAGES | TOKEN_PAGES else "302 to the setup"
            answer = "302 to the setup" if SETUP_PAGES in text else code
            if answer != expected:
                differing[f"{method} {name}"] = (answer, expected)
    assert differing == {}


@pytest.mark.usefixtures("client_without_factor")
def test_public_page_treats_the_reviewer_as_a_visitor(world: Any, users: Any) -> None:
    client = create_client(users["rita"], Client)
    pages = [client.get(build_url(name, world)) for name in sorted(PUBLIC_PAGES)]
    users = [page.context["user"] for page in pages if page.context and "user" in page.context]
    assert (len(users) > 10, [user for user in users if user.is_authenticated]) == (True, [])


def test_calendar_of_a_reviewer_needs_the_factor(users: Any, client_without_factor: Client, settings: Any) -> None:
    url = calendar_feed.create_feed(users["rita"], timezone.now()).removeprefix(settings.SITE_URL)
    before = Client().get(url).status_code
    TOTP.activate(users["rita"], "JBSWY3DPEHPK3PXP")
    assert (before, Client().get(url).status_code) == (404, 200)
