"""Tests of the confirmation of deletions."""

from typing import Any

from bs4 import BeautifulSoup
from django.template import engines


def render(source: str) -> Any:
    return BeautifulSoup(engines["django"].from_string(source).render({}), "html5lib").body


def find_text(element: Any) -> str:
    return " ".join(element.get_text().split())


def test_deletion_names_the_action_and_the_object() -> None:
    source = (
        '{% deletion label="Delete view" what="A & B" id="x" action="/x/" name="a" value="b" %}Gone.{% enddeletion %}'
    )
    body = render(source)
    assert find_text(body.details.summary) == "Delete view…"
    assert find_text(body.select_one("#x-heading")) == "Delete view: A & B"
    form = body.form
    button = form.select_one("button.button-danger")
    assert (form["action"], form["method"], "Gone." in form.text) == ("/x/", "post", True)
    assert (find_text(button), button["name"], button["value"]) == ("Delete view", "a", "b")
    assert form.select_one("[name=csrfmiddlewaretoken]") is not None


def test_deletion_on_its_own_page_has_no_dialog() -> None:
    body = render('{% deletion label="Delete" what="A" cancel="/a/" %}Gone.{% enddeletion %}')
    assert (body.details, body.form.a["href"]) == (None, "/a/")
