"""A person whose browser runs no scripts: reads the HTML that the server sends, and submits its forms."""

import re
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from portal.accounts.models import User

Fields = list[tuple[str, str | SimpleUploadedFile]]
SPACE = re.compile(r"\s+")


class ScriptlessPerson:
    """A person without Chromium. Has the methods of `Person` that a walkthrough needs."""

    def __init__(self, client: Client, user: User) -> None:
        self.client = client
        self.name = str(user)
        self.path = ""
        self.content = b""
        client.force_login(user)

    @cached_property
    def document(self) -> BeautifulSoup:
        """The current page. Parsed when it is read, because many pages only lead to another one."""
        return BeautifulSoup(self.content, "html.parser")

    def go(self, path: str) -> "ScriptlessPerson":
        return self._read("get", path, {})

    def press(self, label: str, *, within: Tag | None = None, nth: int = 0) -> "ScriptlessPerson":
        """Press the button or follow the link with exactly this label."""
        tags = (within or self.document).select("button, input[type=submit], a[href]")
        matches = [tag for tag in tags if _get_accessible_name(tag) == label.casefold()]
        assert len(matches) > nth, f"no “{label}” on {self.path}: {list(map(_get_accessible_name, tags))}"
        tag = matches[nth]
        if tag.name == "a":
            return self.go(str(tag["href"]))
        form = self.document.find("form", id=tag["form"]) if tag.get("form") else tag.find_parent("form")
        assert isinstance(form, Tag), f"“{label}” on {self.path} belongs to no form"
        target = str(tag.get("formaction") or form.get("action") or self.path)
        method = str(tag.get("formmethod") or form.get("method") or "get").lower()
        return self._read(method, target, _encode(_list_fields(self.document, form, tag)))

    def press_within(self, selector: str, label: str) -> "ScriptlessPerson":
        """Press the button or follow the link inside the first element that matches the selector."""
        return self.press(label, within=self.find(selector))

    def _read(self, method: str, path: str, data: dict[str, object]) -> "ScriptlessPerson":
        address = urlsplit(path)
        path = f"{address.path or self.path}?{address.query}" if address.query else (address.path or self.path)
        response = getattr(self.client, method)(path, data, follow=True) if data else self.client.get(path, follow=True)
        assert response.status_code < 400, f"{method} {path}: {response.status_code} {response.content[:2000]!r}"
        self.path = response.request["PATH_INFO"]
        self.content = response.content
        vars(self).pop("document", None)
        return self

    def find_field(self, label: str, within: Tag | None = None) -> Tag:
        """Return the field whose label contains this text."""
        for tag in (within or self.document).select("label, legend, [aria-label]"):
            if label not in SPACE.sub(" ", tag.get_text() or str(tag.get("aria-label", ""))):
                continue
            field = tag if tag.name in ("input", "textarea", "select") else None
            field = field or (self.document.find(id=tag["for"]) if tag.get("for") else None)
            field = field or tag.find(("input", "textarea", "select")) or (tag.parent and tag.parent.find("input"))
            if isinstance(field, Tag):
                return field
        raise AssertionError(f"no field “{label}” on {self.path}")

    def write(self, label: str, text: str, *, within: Tag | None = None) -> "ScriptlessPerson":
        field = self.find_field(label, within)
        if field.name == "textarea":
            field.string = text
        else:
            field["value"] = text
        return self

    def tick(self, label: str) -> "ScriptlessPerson":
        """Check a checkbox, or select a radio button."""
        return self.check(self.find_field(label))

    def choose(self, label: str, option: str) -> "ScriptlessPerson":
        """Select an option of a list, or a radio button."""
        field = self.find_field(label)
        if field.name != "select":
            return self.tick(option)
        for tag in field.find_all("option"):
            tag.attrs.pop("selected", None)
            if SPACE.sub(" ", tag.get_text()).strip() == option:
                tag["selected"] = ""
        return self

    def choose_first(self) -> "ScriptlessPerson":
        """Select the first radio button of the page."""
        return self.check(self.document.select("input[type=radio]")[0])

    def check(self, field: Tag) -> "ScriptlessPerson":
        """Check a checkbox, or a radio button instead of the others of its name."""
        for other in self.document.select("input[type=radio]"):
            if other.get("name") == field.get("name"):
                other.attrs.pop("checked", None)
        field["checked"] = ""
        return self

    def choose_file(self, label: str, path: Path) -> "ScriptlessPerson":
        self.find_field(label)["data-file"] = str(path)
        return self

    def has_text(self, text: str) -> bool:
        return text in SPACE.sub(" ", self.document.get_text(" ")) or text in SPACE.sub(" ", self.document.get_text())

    def sees(self, *texts: str) -> "ScriptlessPerson":
        """Expect each text on the page."""
        assert [text for text in texts if not self.has_text(text)] == [], self.path
        return self

    def does_not_see(self, *texts: str) -> "ScriptlessPerson":
        assert [text for text in texts if self.has_text(text)] == [], self.path
        return self

    def read_next_action(self) -> str:
        """Return the text of the next action and its responsible party."""
        return SPACE.sub(" ", self.document.select(".next-action")[0].get_text(" "))

    def read_action_label(self) -> str:
        """Return the label of the next action's button or link."""
        return SPACE.sub(" ", self.document.select(".next-action .button-primary")[0].get_text(" ")).strip()

    def find(self, selector: str, text: str = "") -> Tag:
        """Return the first element that matches the selector and contains this text."""
        return next(tag for tag in self.document.select(selector) if text in tag.get_text())

    def wait_for(self, selector: str) -> "ScriptlessPerson":
        """Expect an element that matches the selector. Without scripts, the page does not change."""
        assert self.document.select(selector), self.path
        return self

    def download(self, label: str) -> str:
        """Return the text of the file behind a link."""
        link = next(tag for tag in self.document.select("a[href]") if label in tag.get_text())
        response = self.client.get(str(link["href"]))
        assert response.status_code == 200
        return response.getvalue().decode()


def _get_accessible_name(tag: Tag) -> str:
    """Return the accessible name of a button or a link, in lower case."""
    text = tag.get("aria-label") or (tag.get("value") if tag.name == "input" else tag.get_text(" "))
    return SPACE.sub(" ", str(text or "")).strip().casefold()


def _list_fields(document: BeautifulSoup, form: Tag, button: Tag) -> Fields:
    """Return the fields that a browser would send."""
    outside = document.select(f'[form="{form["id"]}"]') if form.get("id") else []
    fields: Fields = []
    for tag in [*form.select("input, textarea, select"), *outside]:
        name = str(tag.get("name", ""))
        kind = str(tag.get("type", "text"))
        if not name or tag.has_attr("disabled") or kind in ("submit", "button") or tag.name == "button":
            continue
        if kind in ("radio", "checkbox"):
            fields += [(name, str(tag.get("value", "on")))] if tag.has_attr("checked") else []
        elif kind == "file":
            path = str(tag.get("data-file", ""))
            fields += [(name, SimpleUploadedFile(Path(path).name, Path(path).read_bytes()))] if path else []
        elif tag.name == "textarea":
            fields.append((name, tag.get_text().removeprefix("\n")))
        elif tag.name == "select":
            chosen = tag.select("option[selected]") or tag.select("option")[:1]
            fields += [(name, str(option.get("value", option.get_text()))) for option in chosen]
        else:
            fields.append((name, str(tag.get("value", ""))))
    return [*fields, (str(button["name"]), str(button.get("value", "")))] if button.get("name") else fields


def _encode(fields: Fields) -> dict[str, object]:
    """Group the values by field, as the test client takes them."""
    data: dict[str, list[object]] = {}
    for name, value in fields:
        data.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in data.items()}
