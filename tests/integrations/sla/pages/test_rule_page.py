"""Tests that the portal shows the documented rules with the SLA targets of every edition."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.programs.registry import PROGRAMS
from integrations.sla.models import SupportIssue
from integrations.submissions.models import Integration
from portal.help import rules

pytestmark = pytest.mark.any_database

PAGES = {"/help/clock/": "sla-clock", "/help/compliance/": "compliance"}


@pytest.mark.parametrize("page", list(PAGES))
def test_page_shows_the_complete_rule(client: Any, page: str) -> None:
    text = BeautifulSoup(client.get(page).content, "html.parser").main.get_text()
    rule_text = rules.LINK_PATTERN.sub(r"\1", (rules.DOCS_DIR / f"{PAGES[page]}.md").read_text())
    for mark in ("*", "`", "|", "## ", "# ", "---"):
        rule_text = rule_text.replace(mark, "")
    lines = ["".join(line.strip().removeprefix("- ").split()) for line in rule_text.split("\n")]
    assert [line for line in lines if line not in "".join(text.split())] == []
    assert [mark for mark in ("*", "](", "`", "| ---", ".md") if mark in text] == []


def test_table_lists_every_edition_with_its_targets(client: Any) -> None:
    table = BeautifulSoup(client.get("/help/clock/").content, "html.parser").select_one("#figures table")
    rows = [row.get_text(" ", strip=True) for row in table.select("tbody tr")]
    assert len(rows) == sum(len(program.editions) for program in PROGRAMS.values())
    newest = next(row for row in rows if row.startswith("Terraform provider "))
    assert "48 hours" in newest


def test_markdown_with_nested_list_and_table_is_rendered_and_html_escaped() -> None:
    text = "One **two**:\n- a\n  more `x`\n  - <b>\n- c\n\n| A |\n|---|\n| <i> |\n"
    assert "".join(rules.render_markdown(text).split("\n")) == (
        "<p>One <strong>two</strong>:</p><ul><li>amore <code>x</code><ul><li>&lt;b&gt;</li></ul></li><li>c</li></ul>"
        '<div class="table-wrap" role="region" aria-label="A" tabindex="0"><table class="table"><thead><tr>'
        '<th scope="col">A</th></tr></thead><tbody><tr><td>&lt;i&gt;</td></tr></tbody></table></div>'
    )


def test_sla_pages_link_to_the_rule_and_to_each_other(
    sign_in: Any, issues: dict[str, SupportIssue], alice: Any
) -> None:
    row: Integration = issues["running"].integration
    client = sign_in(alice)
    at = f"/integrations/{row.uuid}/"
    links_by_page = {
        f"/issues/{issues['running'].uuid}/": ("/help/clock/", f"{at}label-policy/"),
        f"{at}label-policy/": ("/help/clock/", "/sla/", f"{at}monitoring/"),
        f"{at}monitoring/": ("/help/clock/", "/sla/", f"{at}label-policy/"),
        at: ("/sla/", f"{at}label-policy/", f"{at}monitoring/"),
        f"/sla/?partner=acme&integration={row.uuid}": ("/help/clock/", f"{at}label-policy/", f"{at}monitoring/"),
        f"/programs/{row.program_key}/": ("/help/clock/",),
    }
    for page, expected_links in links_by_page.items():
        links_found = BeautifulSoup(client.get(page).content, "html.parser").select("main a[href], aside a[href]")
        links = {str(a["href"]).split("?")[0] for a in links_found}
        assert {place for place in expected_links if place not in links} == set(), page
