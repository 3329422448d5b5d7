"""Conversion of email sources, and values that look like markup."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import transaction

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.notifications.models import EmailMessage
from portal.notifications.rendering import EmailDraft, convert_to_html, render, render_draft

pytestmark = pytest.mark.any_database

HOSTILE_NAMES = (
    "*bold* and **bold**",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "<b>bold</b> & <script>alert(1)</script>",
    "`code`",
    "| a | b |",
    "# Heading",
    "1. item",
    "- item",
    "> quote",
    "---",
    "{{ site }} {% now 'Y' %}",
    "&lt;b&gt; \\*",
    "TAG0INLINE TAG0BLOCK",
)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_render_name_with_markup_shows_it_as_text(
    rocket: Integration, alice: User, sam: User, now: Any, name: str
) -> None:
    rocket.name = name
    rocket.save()
    with transaction.atomic():
        event = record_event(rocket, "integration.approved", actor=sam, now=now, note=f"{name}\n\n{name}")
    email = EmailMessage.objects.get(event=event, person=alice)
    assert email.subject == f"Approved: {name}"
    assert f"{sam} approved {name} in {rocket.program.name}.\n" in email.text
    assert f"Comment:\n\n> {name}\n>\n> {name}\n" in email.text
    page = BeautifulSoup(email.html, "html.parser")
    body = page.select_one("td.text")
    assert body.select_one("h1").text == f"Approved: {name}"
    assert [paragraph.text for paragraph in body.select("blockquote p")] == [name, name]
    assert f"{sam} approved {name} in {rocket.program.name}." in [paragraph.text for paragraph in body.select("p")]
    assert {tag.name for tag in body.find_all(True)} == {"h1", "p", "a", "blockquote"}
    assert [link["href"].startswith("http") and "evil" not in link["href"] for link in page.select("a")] == [True] * 2


def test_render_name_with_line_breaks_keeps_the_subject_on_one_line(
    rocket: Integration, alice: User, sam: User, now: Any
) -> None:
    rocket.name = "Rocket\r\n\r\nBcc: eve@example.org\u2028\u202e"
    with transaction.atomic():
        event = record_event(rocket, "integration.approved", actor=sam, now=now)
    assert EmailMessage.objects.get(event=event, person=alice).subject == "Approved: Rocket Bcc: eve@example.org"


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("{{ name }}\n", '<p class="action">{{ name }}</p>\n'),
        (
            'a\n\n**{{ b|default:"*" }}**\n',
            '<p class="action">a</p>\n<p><strong>{{ b|default:"*" }}</strong></p>\n',
        ),
        (
            '## A\n\n{% for x in y %}- [{{ x.a }}](<{{ site }}{% url "b" x.c %}>) {{ x.d }}\n  e\n{% endfor %}\n',
            '<h2>A</h2>\n{% for x in y %}\n<ul>\n<li><a href="{{ site }}{% url "b" x.c %}">{{ x.d }}</a>'.replace(
                "{{ x.d }}</a>", "{{ x.a }}</a> {{ x.d }}<br />\ne</li>\n</ul>\n{% endfor %}\n"
            ),
        ),
        (
            "{% if a %}\nb\n{% else %}\nc\n{% endif %}\n",
            '{% if a %}\n<p class="action">b</p>\n{% else %}\n<p class="action">c</p>\n{% endif %}\n',
        ),
    ],
)
def test_convert_to_html_keeps_template_tags(source: str, html: str) -> None:
    assert convert_to_html(source) == html


def test_convert_to_html_paragraph_of_one_link_becomes_a_button() -> None:
    page = BeautifulSoup(convert_to_html("a\n\n[b](<c>)\n\n[d](<e>) f\n"), "html.parser")
    assert [(link.text, link.get("class")) for link in page.select("a")] == [("b", ["button"]), ("d", None)]


def test_render_repeats_styles_for_clients_without_style_sheets_and_keeps_those_of_dark_mode() -> None:
    html = render("reset_password", {"password_reset_url": "https://portal.example/r"}).html
    page = BeautifulSoup(html, "html.parser")
    assert {tag.name for tag in page.select("body, h1, p, a, td.text") if "style" not in tag.attrs} == set()
    assert page.select_one("style").text.strip().startswith("@media (prefers-color-scheme: dark)")


def test_render_table_is_markdown_in_text_and_a_table_in_html() -> None:
    report = {
        "subject": "Week",
        "next_action": "No action needed.",
        "verdict": "Fine.",
        "scope": "programs",
        "programs": [],
        "figure_headers": ("Metric", "This week"),
        "headline_rows": [("On time", "96%"), ("A | <b>", "2")],
    }
    email = render("report", {"report": report, "page": "https://portal.example/", "stop": "https://portal.example/u"})
    assert "| Metric | This week |\n| --- | ---: |\n| On time | 96% |\n| A | <b> | 2 |\n" in email.text
    rows = BeautifulSoup(email.html, "html.parser").select("table.figures tr")
    assert [[cell.text for cell in row.select("th, td")] for row in rows] == [
        ["Metric", "This week"],
        ["On time", "96%"],
        ["A | <b>", "2"],
    ]
    assert "Unsubscribe from these emails: https://portal.example/u\n" in email.text


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_render_draft_of_a_name_with_markup_shows_it_as_text(name: str) -> None:
    page = "https://portal.example/integrations/1/"
    context = {"name": name, "actor": "Sam Stone", "program_name": "Nomad", "note": "*Thanks*", "page": page}
    context |= {"reader_side": "partner", "action": None, "findings": []}
    draft = render_draft("integration_declined", context)
    assert draft.subject == f"Declined: {name}"
    email = render("integration_declined", context, draft)
    assert f"Sam Stone declined {name} in Nomad.\n" in email.text
    body = BeautifulSoup(email.html, "html.parser").select_one("td.text")
    assert f"Sam Stone declined {name} in Nomad." in [paragraph.text for paragraph in body.select("p")]
    assert [link["href"] for link in body.select("a")] == [page]
    assert [each.text for each in body.select("blockquote em")] == ["Thanks"]


def test_render_edited_subject_stays_on_one_line() -> None:
    draft = EmailDraft("Declined\r\nBcc: eve@example.org", "Sorry.")
    assert render("integration_declined", {"note": ""}, draft).subject == "Declined Bcc: eve@example.org"
