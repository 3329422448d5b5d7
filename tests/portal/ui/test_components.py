"""Tests that component tags show their arguments, escape them, and refuse unknown ones."""

import re
from pathlib import Path
from types import SimpleNamespace

import lucide
import pytest
from bs4 import BeautifulSoup
from django.core.paginator import Paginator
from django.template import TemplateSyntaxError, engines
from django.test import RequestFactory

from portal.audit.event_types import CATALOG
from portal.ui.components import inline, markup
from portal.ui.components.markup import TONES
from tests.codebase.project_files import list_template_files

ROOT = Path(__file__).parents[3]


def render_source(source, **context):
    return BeautifulSoup(engines["django"].from_string(source).render(context), "html5lib").body


def get_text(element):
    return " ".join(element.get_text().split())


@pytest.mark.parametrize(
    "source",
    [
        '{% badge "x" color="red" %}',
        '{% button "x" onclick="y" %}',
        '{% link_button "x" %}',
        '{% panel title="x" %}{% endpanel %}',
        '{% requirement status="open" title="x" %}{% endrequirement %}',
        '{% decision label="x" %}{% enddecision %}',
    ],
)
def test_tag_with_an_unknown_or_missing_parameter_does_not_compile(source):
    with pytest.raises(TemplateSyntaxError):
        engines["django"].from_string(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('{% badge "x" tone="red" %}', "tone must be one of"),
        ('{% outcome "passed" %}', "outcome must be one of pass, warn, fail"),
        ('{% button "x" tone="big" %}', "tone must be one of primary"),
        ('{% banner tone="neutral" %}{% endbanner %}', "tone must be one of good"),
        ('{% entry what="x" at=None tone="red" %}{% endentry %}', "tone must be one of"),
        ('{% requirement state="done" title="x" %}{% endrequirement %}', "state must be one of"),
        ('{% meter used label="x" %}', "segment must be one of counted, paused, left, over"),
        ("{% path steps %}", "state of a step must be one of done, current, next"),
    ],
)
def test_tag_with_an_unknown_value_lists_the_known_values(source, message):
    with pytest.raises(ValueError, match=message):
        render_source(source, used=[("spent", 1)], steps=[{"name": "Apply", "state": "now"}])


@pytest.mark.parametrize(
    "source",
    [
        "{% badge text %}",
        '{% outcome "pass" text=text %}',
        "{% button text %}",
        '{% link_button text href="/" %}',
        '{% button "Go" disabled=text %}',
        "{% code text copy=True %}",
        '{% tab text href="/" %}',
        "{% crumbs text %}",
        "{% person somebody %}",
        "{% panel heading=text %}{{ text }}{% endpanel %}",
        "{% evidence summary=text %}{{ text }}{% endevidence %}",
        "{% fact text %}{{ text }}{% endfact %}",
        "{% mail_preview to=text subject=text %}{{ text }}{% endmail_preview %}",
        "{% path steps %}",
        '{% requirement state="open" title=text reason=text %}{{ text }}{% endrequirement %}',
        '{% check_result outcome="fail" title=text summary=text %}{{ text }}{% endcheck_result %}',
        "{% next_action text=text mine=True %}{{ text }}{% endnext_action %}",
        "{% table caption=text %}{% endtable %}",
        "{% table_head text text hide_last=True %}",
    ],
)
def test_tag_escapes_user_input(source):
    evil = "<script>alert(1)</script>"
    steps = [{"name": evil, "state": "done", "note": evil}]
    body = render_source(source, text=evil, somebody=SimpleNamespace(name=evil, email=evil), steps=steps)
    assert body.select("script") == []
    assert "alert(1)" in body.get_text()


def test_filter_escapes_content_that_is_not_markup():
    html = markup.ENVIRONMENT.from_string("{{ text|facts }}").render(text="<b>&")
    assert html == '<dl class="facts">&lt;b&gt;&amp;</dl>'


@pytest.mark.parametrize("value", inline.OUTCOMES)
def test_outcome_has_an_icon_and_a_label(value):
    chip = render_source(f'{{% outcome "{value}" %}}').select_one(".badge")
    _, tone, word = inline.OUTCOMES[value]
    assert (get_text(chip), chip["class"], len(chip.select("svg"))) == (word, ["badge", f"tone-{tone}"], 1)


@pytest.mark.parametrize("tone", TONES)
def test_badge_has_an_icon_in_every_tone(tone):
    assert len(render_source(f'{{% badge "x" tone="{tone}" %}}').select("svg[aria-hidden=true]")) == 1


def test_tally_omits_zeros_and_has_labels():
    assert (
        get_text(render_source("{% tally counts %}", counts={"pass": 14, "warn": 1, "fail": 0}))
        == "14 passed 1 warning"
    )


def test_disabled_button_has_a_reason_and_submits_nothing():
    body = render_source(
        '{% button "Approve" tone="primary" name="step" value="approve" disabled="Two findings are open." %}'
    )
    button = body.button
    assert (button["type"], button["aria-disabled"], button.get("name")) == ("button", "true", None)
    assert get_text(button) == "Approve, not available: Two findings are open."
    assert get_text(body.select_one(".reason")) == "Two findings are open."


def test_link_button_to_another_site_is_marked():
    link = render_source('{% link_button "Docs" href="https://docs.example/?a=1&amp;b=2" external=True %}').a
    assert (link["href"], link["rel"]) == ("https://docs.example/?a=1&b=2", ["noopener", "noreferrer"])
    assert get_text(link) == "Docs (opens in a new tab)"


def test_person_has_name_and_email():
    body = render_source("{% person who %}", who=SimpleNamespace(name="Rita de la Tan", email="rita@portal.example"))
    assert get_text(body.select_one(".person-mark")) == "RT"
    assert body.a["href"] == "mailto:rita@portal.example"


def test_person_without_a_name_has_the_email_and_none_is_the_portal():
    assert (
        get_text(render_source("{% person who mail=False %}", who=SimpleNamespace(name="", email="a@b.example")))
        == "A a@b.example"
    )
    assert get_text(render_source("{% person None %}")) == "The portal"


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (None, ""),
        (0, "0 B"),
        (999, "999 B"),
        (14_000, "14 kB"),
        (999_999, "1.0 MB"),
        (1_234_567, "1.2 MB"),
        (999_999_999, "1.0 GB"),
    ],
)
def test_file_size_has_a_unit(octets, words):
    assert inline.format_file_size(octets) == words


def test_path_marks_the_current_step_with_text_too():
    steps = [{"name": "Prepare", "state": "done", "href": "#p"}, {"name": "Apply", "state": "current"}]
    body = render_source("{% path steps %}", steps=steps)
    assert [get_text(step) for step in body.select("li")] == ["Prepare, done", "Apply, now"]
    assert get_text(body.select_one("[aria-current=step]")) == "Apply, now"


def test_path_accepts_objects_and_shows_where_it_ended():
    steps = [SimpleNamespace(name="Verify", state="ended"), SimpleNamespace(name="Publish", state="next")]
    assert get_text(render_source("{% path steps %}", steps=steps)) == "Verify, ended here Publish, to come"


def test_breadcrumbs_end_with_the_current_page():
    body = render_source('{% crumbs "Queue" "/queue/" "Rocket" %}')
    assert [(get_text(a), a["href"]) for a in body.select("a")] == [("Queue", "/queue/")]
    assert get_text(body.select_one("[aria-current=page]")) == "Rocket"


def test_table_head_aligns_columns_of_numbers_and_hides_the_heading_of_actions():
    head = '{% table_head "Name" "Open" "Due" numbers="2" end=True %}'
    headings = render_source(f'{{% table caption="Queue" %}}{head}{{% endtable %}}').select("thead > tr > th")
    assert [(heading["scope"], heading.get("class"), heading.text) for heading in headings] == [
        ("col", None, "Name"),
        ("col", ["number"], "Open"),
        ("col", ["end"], "Due"),
    ]
    hidden = render_source('{% table_head "Name" "Actions" hide_last=True %}').select(".visually-hidden")
    assert [element.text for element in hidden] == ["Actions"]


def test_next_action_names_the_responsible_party():
    mine = render_source(
        '{% next_action text="Sign the release." mine=True %}{% link_button "Show me how" href="#x" %}'
        "{% endnext_action %}"
    )
    assert get_text(mine.select_one(".next-action-mine")) == "Action required: Sign the release. Show me how"
    theirs = render_source('{% next_action text="Rita reads." mine=False %}{% endnext_action %}')
    assert get_text(theirs.select_one(".next-action-theirs")) == "Waiting for the program: Rita reads."
    rest = render_source('{% next_action text="Nothing to do." mine=False at_rest=True %}{% endnext_action %}')
    assert get_text(rest.select_one(".next-action-rest")) == "Nothing to do."


def test_detail_without_a_value_has_a_placeholder():
    body = render_source('{% facts %}{% fact "Listed" %}  {% endfact %}{% endfacts %}')
    assert get_text(body.dl) == "ListedNot available"


def test_check_error_has_the_time_of_the_retry(now):
    body = render_source(
        '{% check_result outcome="error" title="Listing" summary="We could not reach the registry." next_try=now %}'
        "{% endcheck_result %}",
        now=now,
    )
    assert get_text(body.select_one(".check-summary")).startswith(
        "We could not reach the registry. We'll try again at Tue, Apr 14"
    )
    assert body.select("details") == []


def test_entry_hidden_from_the_partner_is_marked(now):
    body = render_source('{% entry what="Note" at=now private=True %}Ask Sam{% endentry %}', now=now)
    assert "Only reviewers see this" in get_text(body.select_one(".entry-private"))


def test_meter_pieces_fill_the_bar():
    body = render_source('{% meter used label="36 of 48 hours" total=48 %}', used=[("counted", 36), ("paused", 6)])
    svg = body.svg
    assert (svg["role"], svg["aria-label"]) == ("img", "36 of 48 hours")
    assert [(r["class"], r.get("x"), r["width"]) for r in svg.select("rect")] == [
        (["meter-track"], None, "100%"),
        (["meter-counted"], "0.00%", "75.00%"),
    ]
    assert [(p["class"], p["x1"], p["x2"]) for p in svg.select("line")] == [(["meter-paused"], "75.00%", "87.50%")]


def test_meter_joins_adjacent_segments_and_marks_the_due_date_once():
    pieces = [("counted", 20), ("counted", 20), ("over", 20), ("over", 10), ("paused", 10), ("over", 20)]
    svg = render_source('{% meter used label="90 of 40 hours" %}', used=pieces).svg
    assert [(r["class"][0], r.get("x"), r["width"]) for r in svg.select("rect")[1:]] == [
        ("meter-counted", "0.00%", "40.00%"),
        ("meter-over", "40.00%", "30.00%"),
        ("meter-over", "80.00%", "20.00%"),
        ("meter-due", "40.00%", "2"),
    ]


def test_meter_without_segments_is_an_empty_bar():
    assert len(render_source('{% meter used label="nothing yet" %}', used=[]).svg.select("rect")) == 1


def test_pagination_keeps_the_filters():
    request = RequestFactory().get("/queue/?stage=review&page=21")
    body = render_source("{% pagination page %}", page=Paginator(range(1234), 50).page(21), request=request)
    pages = {"First page": 1, "Previous": 20, "Next": 22, "Last page": 25}
    links = {get_text(a): a["href"] for a in body.select("a")}
    assert links == {label: f"?stage=review&page={number}" for label, number in pages.items()}
    assert "1,001–1,050 of 1,234" in get_text(body)


def test_pagination_of_one_page_is_empty():
    request = RequestFactory().get("/queue/")
    assert get_text(render_source("{% pagination page %}", page=Paginator(range(3), 50).page(1), request=request)) == ""


def test_decision_works_without_a_script_and_has_a_label():
    body = render_source('{% decision label="Approve" id="approve" heading="Approve Rocket" %}form{% enddecision %}')
    assert get_text(body.details.summary) == "Approve…"
    group = body.select_one("[role=group]")
    assert get_text(body.find(id=group["aria-labelledby"])) == "Approve Rocket"


def list_used_icons():
    """Return every icon that a template or table uses."""
    used = re.compile(r'(?:\{% icon |icon(?:_name)?=|lucide |\{\{ (?="[a-z0-9-]+"\|icon))"([a-z0-9-]+)"')
    return sorted({name for page in list_template_files() for name in used.findall(page.read_text())})


def test_icons_and_tones_of_every_event_exist():
    icons = {event_type.icon for event_type in CATALOG}
    assert [name for name in sorted(icons) if is_missing(name)] == []
    assert {event_type.tone for event_type in CATALOG} <= set(TONES)


def is_missing(icon):
    try:
        lucide._load_icon(icon)
    except lucide.IconDoesNotExist:
        return True
    return False


def test_icons_of_all_templates_exist():
    assert len(list_used_icons()) > 20
    assert [name for name in list_used_icons() if is_missing(name)] == []
