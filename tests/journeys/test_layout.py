"""Layout: long words on a phone, print, and text fields that a person resized."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.sla import filters
from integrations.submissions.services import drafts, findings
from integrations.submissions.services.transitions import perform_transition
from portal.api.services import tokens
from portal.webhooks.services import create_endpoint
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.sla.rows import create_repository_row
from tests.journeys.person import Person
from tests.journeys.test_phone_keyboard import check_width

Visit = Callable[..., Person]
# The widths that the selected option needs and that it has.
MEASURE_SELECT = """select => {
  const width = select.offsetWidth
  for (const option of [...select.options]) if (!option.selected) option.remove()
  select.style.cssText = 'position: absolute; width: auto; max-width: none'
  return [select.offsetWidth, width]
}"""
LONG_NAME = "rockets_and_boosters_of_all_launch_sites_in_every_hemisphere"


def test_long_words_wrap_on_a_phone(visit: Visit, alice: Any, bob: Any, acme: Partner) -> None:
    tokens.create_token(LONG_NAME, ("integrations:read",), 30, actor=alice, now=timezone.now(), partner=acme)
    bob.name = LONG_NAME
    bob.save()
    row = create_integration(acme, alice, now=timezone.now(), name=LONG_NAME)
    phone = visit(alice, phone=True)
    for address in ("/", f"/integrations/{row.uuid}/", f"/company/{acme.slug}/"):
        check_width(phone.go(address).sees(LONG_NAME))


def test_long_names_wrap_in_buttons_choices_and_findings(visit: Visit, alice: Any, rita: Any, acme: Partner) -> None:
    for row in (acme, alice):
        row.name = LONG_NAME
        row.save()
    integration = advance_to_stage(
        create_integration(acme, alice, name=LONG_NAME), "review", partner=alice, reviewer=rita
    )
    finding = findings.raise_finding(integration, "NO-3", "Add tests.", actor=rita, now=timezone.now())
    perform_transition(integration, "request_changes", actor=rita, note="One finding.")
    findings.answer_finding(finding, "They are there.", actor=alice, now=timezone.now())
    check_width(visit(alice, phone=True).go("/webhooks/").sees(LONG_NAME))
    check_width(visit(alice).go("/webhooks/").sees(LONG_NAME))
    phone = visit(rita, phone=True)
    phone.audits = False  # the audit takes the link at the edge of the scrolled index for a small one
    for name in ("review", "assign"):
        check_width(phone.go(f"/integrations/{integration.uuid}/{name}/").sees(LONG_NAME))


def test_right_to_left_name_does_not_split_the_time_after_it(visit: Visit, alice: Any, bob: Any, acme: Partner) -> None:
    bob.name = "מרים כהן"
    bob.save()
    saved_at = timezone.now() - timedelta(hours=3)
    draft = drafts.create_draft(acme, "nomad", actor=bob, now=saved_at)
    drafts.save_draft(draft, {"name": "Rocket"}, version=0, actor=bob, now=saved_at)
    time = visit(alice).go("/").sees("Saved by מרים כהן 3 h ago").page.locator("td.end time")
    assert time.evaluate("e => e.getClientRects().length") == 1


def test_roles_in_programs_are_named_on_a_phone(visit: Visit, sam: Any) -> None:
    names = visit(sam, phone=True).go("/people/invite/").page.locator("td .only-phone").all_inner_texts()
    assert set(names) == {"Reviewer", "Program manager"}


def test_page_in_the_dark_theme_is_printed_with_the_colors_of_the_light_theme(visit: Visit, alice: Any) -> None:
    page = visit(alice).go("/").page
    text = page.locator("h1")
    color = text.evaluate("e => getComputedStyle(e).color")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    expect(text).to_have_css("color", color)


def test_answer_in_a_resized_text_field_is_saved_without_a_script_error(
    visit: Visit, alice: Any, acme: Partner
) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    browser = visit(alice).go(f"/integrations/{row.uuid}/requirements/NO-8-LIST/").write("Text", "Runs workloads.")
    browser.page.get_by_label("Text").first.evaluate("field => { field.style.height = '180px' }")
    browser.press("Save draft").sees_value("Text", "Runs workloads.")


def test_links_and_checkboxes_are_large_enough_for_a_finger(visit: Visit, alice: Any) -> None:
    page = visit(alice, phone=True).go("/profile/tokens/").page
    targets = [page.get_by_role("navigation").get_by_role("link", name="Your profile"), page.get_by_role("checkbox")]
    boxes = [target.first.bounding_box() for target in targets]
    assert [box is not None and box["height"] >= 24 for box in boxes] == [True, True]


def test_short_links_are_large_enough_for_a_finger(visit: Visit, alice: Any, acme: Partner) -> None:
    integration = create_integration(acme, alice, now=timezone.now())
    values = {"name": "Build", "url": "https://hooks.acme.example/", "event_types": ["integration.approved"]}
    endpoint, _ = create_endpoint(acme, values, actor=alice, now=timezone.now())
    phone = visit(alice, phone=True)
    for address, selector in (
        (f"/webhooks/{endpoint.uuid}/", ".tabs a"),
        (f"/integrations/{integration.uuid}/", ".step-name > a"),
        ("/profile/", "dd > a:only-child:not([class])"),
    ):
        boxes = [link.bounding_box() for link in phone.go(address).page.locator(selector).all()]
        assert boxes
        assert [box for box in boxes if box and (box["width"] < 24 or box["height"] < 24)] == [], address


@pytest.mark.parametrize("zoom", [1, 1.4])  # the second is a larger text of the browser
def test_menu_opens_inside_a_narrow_window(visit: Visit, alice: Any, zoom: float) -> None:
    page = visit(alice, phone=True).go("/").page
    page.set_viewport_size({"width": 320, "height": 640})
    page.evaluate(f"document.documentElement.style.fontSize = '{16 * zoom}px'")
    page.locator("details.menu > summary").click()
    expect(page.locator(".menu-sheet")).to_be_in_viewport(ratio=0.9)
    assert page.locator(".menu-sheet").evaluate("e => e.getBoundingClientRect().left >= 0") is True
    expect(page.get_by_role("button", name="Search and commands")).to_be_hidden()


def test_message_with_a_long_word_wraps_on_a_phone(visit: Visit, alice: Any) -> None:
    check_width(visit(alice, phone=True).go(f"/search/?q={LONG_NAME}").sees("No results"))


def test_identity_of_a_company_fits_on_a_phone(visit: Visit, rita: Any, acme: Partner) -> None:
    page = visit(rita, phone=True).go(f"/companies/{acme.slug}/").page
    assert page.locator("#identity .table-wrap").evaluate("e => e.scrollWidth <= e.clientWidth") is True
    labels = page.locator("#identity td").evaluate_all(
        "cells => cells.map(e => getComputedStyle(e, '::before').content)"
    )
    assert labels[:3] == ['"Claimed"', '"Found"', '"Same as before?"']


def test_selected_rule_is_not_clipped_on_a_phone(visit: Visit, rita: Any) -> None:
    page = visit(rita, phone=True).go("/queue/rebalance/?scope=away&rule=expertise").page
    widths = [select.evaluate(MEASURE_SELECT) for select in page.locator("form.filters select").all()]
    assert [needed <= width for needed, width in widths] == [True, True], widths


def test_filters_fold_on_a_phone(visit: Visit, rita: Any, alice: Any, acme: Partner) -> None:
    create_integration(acme, alice, now=timezone.now())
    page = visit(rita, phone=True).go("/integrations/?program=nomad").page
    program = page.locator("select[name=program]")
    expect(program).to_be_hidden()
    page.get_by_text("Filters (1)").click()
    page.get_by_label("Listing status").select_option("unlisted")
    page.get_by_text("Filters (2)").click()
    expect(program).to_be_hidden()
    page.get_by_role("link", name="Program: Nomad").click()
    expect(page.get_by_text("Filters (1)")).to_be_visible()
    assert page.url.endswith("&listing_status=unlisted&sort=newest")
    page.set_viewport_size({"width": 820, "height": 900})
    expect(program).to_be_visible()
    expect(page.get_by_text("Filters (1)")).to_be_hidden()


def test_printed_list_has_no_controls(visit: Visit, alice: Any, acme: Partner) -> None:
    create_integration(acme, alice, now=timezone.now())
    page = visit(alice).go("/integrations/").page
    page.emulate_media(media="print")
    for selector in (".filters", ".saved"):
        expect(page.locator(selector).first).to_be_hidden()
    expect(page.get_by_role("link", name="Rocket")).to_be_visible()


def test_printed_integration_has_all_steps_and_no_controls(visit: Visit, alice: Any, acme: Partner) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    page = visit(alice).go(f"/integrations/{row.uuid}/").page
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="Listing text")).to_be_visible()
    for selector in ("#message-body", ".fact-edit", "[href$='/transitions/withdraw/']"):
        expect(page.locator(selector).first).to_be_hidden()


@pytest.mark.parametrize("width", [820, 1024])
def test_columns_at_the_end_of_wide_tables_are_visible_on_a_tablet(
    visit: Visit, alice: Any, rita: Any, sam: Any, acme: Partner, width: int
) -> None:
    advance_to_stage(create_integration(acme, alice, name=LONG_NAME), "review", partner=alice, reviewer=rita)
    for person, address in ((rita, "/queue/"), (alice, "/company/"), (sam, "/people/"), (sam, "/audit-log/")):
        page = visit(person).go(address).page
        page.set_viewport_size({"width": width, "height": 900})
        for table in page.locator(".table-wrap").all():
            assert table.evaluate("e => e.scrollWidth <= e.clientWidth") is True, address


def test_selected_party_of_the_queue_is_not_clipped_on_a_tablet(visit: Visit, rita: Any) -> None:
    page = visit(rita).go("/queue/").page
    page.set_viewport_size({"width": 820, "height": 900})
    widths = page.get_by_label("Responsible party").evaluate(MEASURE_SELECT)
    assert widths[0] <= widths[1], widths


def test_current_page_is_visible_in_the_navigation_of_a_phone(visit: Visit, sam: Any) -> None:
    phone = visit(sam, phone=True)
    for address, name in (("/queue/", "Review queue"), ("/emails/", "Email log"), ("/audit-log/", "Audit log")):
        link = phone.go(address).page.locator(".rail").get_by_role("link", name=name)
        expect(link).to_be_in_viewport(ratio=1)


def test_printed_table_has_columns_and_no_navigation(visit: Visit, rita: Any, rob: Any) -> None:
    page = visit(rita).go("/analytics/people/").page
    page.set_viewport_size({"width": 725, "height": 950})  # the width of a sheet of paper
    row = page.locator(".table tr", has_text="Rob Roth")
    expect(row).to_have_css("display", "flex")
    page.emulate_media(media="print")
    expect(row).to_have_css("display", "table-row")
    for selector in (".tabs", ".crumbs"):
        for element in page.locator(selector).all():
            expect(element).to_be_hidden()


def test_fields_and_button_of_filters_are_on_one_line_although_one_has_a_hint(
    visit: Visit, alice: Any, charlie: Any, rita: Any, acme: Partner, globex: Partner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "MAX_OPTIONS", 1)  # so that the partner is typed instead of selected
    for partner, person in ((acme, alice), (globex, charlie)):
        create_repository_row(create_integration(partner, person), timezone.now())
    form = visit(rita).go("/sla/").page.locator("form.filters")
    expect(form.locator(".hint")).to_be_visible()
    boxes = [each.bounding_box() for each in form.locator(":is(select, input, button)").all()]
    tops = [round(box["y"]) for box in boxes if box]
    assert max(tops) - min(tops) <= 1, tops


def test_printed_page_shows_the_summaries_of_closed_details(visit: Visit, alice: Any) -> None:
    page = visit(alice).go("/help/getting-started/").page
    page.emulate_media(media="print")
    expect(page.locator(".fold:not([open]) > summary").first).to_be_visible()


def test_selection_and_current_pages_are_visible_with_forced_colors(visit: Visit, rita: Any) -> None:
    browser = visit(rita)
    page = browser.page
    page.emulate_media(forced_colors="active", color_scheme="dark")
    browser.go("/queue/")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    tabs = page.locator(".tabs").first.locator("a")
    borders = tabs.evaluate_all("tabs => tabs.map(tab => getComputedStyle(tab).borderBottomColor)")
    canvas = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
    assert [border == canvas for border in borders] == [False, *[True] * (len(borders) - 1)]
    expect(page.locator(".rail [aria-current]")).to_have_css("outline-style", "solid")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light dark"
    page.keyboard.press("Control+k")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#palette [aria-selected=true]")).to_have_css("outline-style", "solid")
    expect(page.locator("#palette [aria-selected=false]").first).to_have_css("outline-style", "none")
