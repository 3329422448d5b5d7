"""Tests that no private text of Acme reaches other companies or visitors."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone

from integrations.submissions.models import Introduction
from integrations.submissions.services import drafts
from portal.notifications.models import EmailMessage
from tests.portal.crawl import Crawl
from tests.portal.page_urls import build_url, list_page_names
from tests.portal.rollback_requests import create_client, send_request
from tests.portal.sample_objects import CANARY

pytestmark = pytest.mark.any_database

LISTS = {
    "reports:sla_dashboard",
    "search:results",
    "submissions:list",
    "reviews:partners",
    "directory:list",
    "inbox:email_log",
    "submissions:draft_overlaps",
    "submissions:choose_program",
    "partners:join",
}
CAPABILITY_PAGES = {"inbox:calendar_feed"}  # the URL is the key: everyone who has it can read
QUERIES = (
    "",
    "?state=all",
    "?partner=acme",
    "?q=rocket",
    "?q=canary",
    "?q=7f3a",
    "?q=acme",
    "?page=2",
    "?program=nomad",
    "?sort=partner",
)
RIVAL = {"name": "Rocket", "repository_address": "acme/terraform-provider-rocket", "description": "Ours."}
REQUESTER = "Someone is working on this"


@pytest.fixture(autouse=True)
def hide_email_log(settings: Any) -> None:
    settings.EMAIL_LOG_PUBLIC = False


@pytest.fixture
def rival_draft(world: Any, users: Any) -> Any:
    """Create a draft of Globex with the repository and name of Acme's unlisted integration."""
    now = timezone.now()
    draft = drafts.create_draft(world["other"].partner, "nomad", actor=users["charlie"], now=now)
    fit = RIVAL | {"category": "ci-cd", "offerings": ["Open Source"], "homepage": ""}
    return drafts.save_draft(draft, fit, version=0, actor=users["charlie"], now=now)


def get_own_uuid(name: str, world: Any, rival_draft: Any) -> Any:
    """Return the UUID of Globex's own draft or integration, depending on the page."""
    return rival_draft.uuid if "draft" in name and "requirement" not in name else world["other"].uuid


def list_requests(world: Any, rival_draft: Any) -> Iterator[tuple[str, str, dict[str, Any] | None]]:
    """Yield (name, URL, fields) of requests by Globex that could reveal Acme's data and are not in the crawl."""
    own_urls = {
        name: build_url(name, world, uuid=get_own_uuid(name, world, rival_draft)) for name in sorted(list_page_names())
    }
    urls = {name: url for name, url in own_urls.items() if url != build_url(name, world)}
    yield from ((f"{name}{query}", own_urls[name] + query, None) for name in LISTS for query in QUERIES)
    yield from ((name, url, None) for name, url in urls.items())
    yield from ((name, url, {}) for name, url in urls.items())  # last, because some buttons delete the object of a page
    yield "missing", "/integrations/00000000-0000-4000-8000-000000000000/", None
    yield "admin", "/admin/submissions/integration/", None


def test_every_page_named_here_exists() -> None:
    assert (LISTS | CAPABILITY_PAGES) - list_page_names() == set()


@pytest.mark.parametrize("role", ["anonymous", "charlie"])
def test_no_answer_reveals_private_texts_to_another_partner(
    crawl: Callable[[str], Crawl], users: Any, world: Any, rival_draft: Any, role: str
) -> None:
    client = create_client(users[role])
    answers = [(what, send_request(client, url, fields)[1]) for what, url, fields in list_requests(world, rival_draft)]
    answers += [(what, answer.text) for what, answer in crawl(role).list_responses() if what not in CAPABILITY_PAGES]
    assert [what for what, text in answers if CANARY in text] == []


def test_partner_reads_its_own_texts(users: Any, world: Any) -> None:
    """The canary is really in the pages."""
    alice = create_client(users["alice"])
    page_names = (
        "submissions:detail",
        "submissions:history",
        "submissions:document",
        "submissions:meeting_ics",
        "submissions:draft",
        "submissions:list",
        "inbox:list",
        "inbox:email",
    )
    for name in (*page_names, "reports:sla_dashboard", "sla:issue"):
        assert CANARY in send_request(alice, build_url(name, world))[1], name


def test_overlap_with_unlisted_integration_reveals_only_that_it_exists(
    users: Any, world: Any, rival_draft: Any
) -> None:
    client = create_client(users["charlie"])
    pages = [
        build_url("submissions:draft", world, uuid=rival_draft.uuid),
        build_url("submissions:confirm_draft", world, uuid=rival_draft.uuid),
        build_url("submissions:draft_overlaps", world, uuid=rival_draft.uuid),
        build_url("submissions:similar", world, uuid=world["other"].uuid),
    ]
    for page in pages:
        text = send_request(client, page)[1]
        assert (REQUESTER in text, "Acme" in text, CANARY in text) == (True, False, False), page


@pytest.mark.parametrize("answer", ["", "decline"])
def test_introduction_reveals_nothing_before_both_agree(users: Any, world: Any, answer: str) -> None:
    url = build_url("submissions:introduction", world)
    if answer:
        create_client(users["alice"]).post(url, {"answer": answer})
    text = send_request(create_client(users["charlie"]), url)[1]
    own = send_request(
        create_client(users["charlie"]), build_url("submissions:history", world, uuid=world["other"].uuid)
    )[1]
    assert Introduction.objects.get().state == (f"{answer}d" if answer else "asked")
    assert ("Acme" in text, "Alice" in text, CANARY in text, "Alice" in own) == (False, False, False, False)


def test_introduction_reveals_both_after_they_agreed(users: Any, world: Any) -> None:
    create_client(users["alice"]).post(build_url("submissions:introduction", world), {"answer": "agree"})
    text = send_request(create_client(users["charlie"]), build_url("submissions:introduction", world))[1]
    assert "alice@acme.example" in text


def test_no_email_reveals_private_texts_to_another_partner(users: Any, world: Any) -> None:
    mailboxes = [world[name].edition.mailbox for name in ("integration", "task")]
    inside = Q(to__endswith="@acme.example") | Q(to__endswith="@program.example") | Q(to__in=mailboxes)
    theirs = list(EmailMessage.objects.exclude(inside))
    assert {mail.to for mail in theirs} == {"charlie@globex.example"}
    assert [m.name for m in theirs if CANARY in f"{m.subject} {m.text} {m.html} {m.calendar}"] == []
