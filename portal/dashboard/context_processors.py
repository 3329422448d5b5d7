"""Context of the page frame: navigation, signed-in user, and theme."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import TypeAdapter

from integrations.partners import permissions
from portal.core.content_files import Content, load_content

# Label and icon by the value of the cookie.
THEMES = {
    "system": (gettext_noop("System"), "monitor"),
    "light": (gettext_noop("Light"), "sun"),
    "dark": (gettext_noop("Dark"), "moon"),
}
THEME_COOKIE = "theme"


@dataclass(frozen=True, slots=True)
class LinkEntry(Content):
    """Link of navigation.yaml."""

    name: str
    label: str
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Navigation(Content):
    """Content of navigation.yaml. `translatable` names the keys whose values are messages."""

    translatable: tuple[str, ...]
    program: tuple[LinkEntry, ...]
    staff: tuple[LinkEntry, ...]
    menu: tuple[LinkEntry, ...]
    footer: tuple[LinkEntry, ...]
    account: tuple[LinkEntry, ...]


NAVIGATION = load_content(Path(__file__).with_name("content") / "navigation.yaml", TypeAdapter(Navigation))


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """Link in the page frame."""

    label: str
    icon: str
    href: str
    current: str = ""


@lru_cache(maxsize=200)
def _reverse(urlconf: str, prefix: str, name: str, args: tuple[object, ...]) -> str:
    try:
        return reverse(name, urlconf=urlconf, args=args)
    except NoReverseMatch:
        return ""


def get_url(name: str, *args: object) -> str:
    """Return the URL of a named view, or an empty string if it does not exist."""
    return _reverse(get_urlconf() or settings.ROOT_URLCONF, get_script_prefix(), name, args)


def get_theme(request: HttpRequest) -> str:
    """Return the selected theme from an untrusted cookie."""
    theme = request.COOKIES.get(THEME_COOKIE, "system")
    return theme if theme in THEMES else "system"


class Frame:
    """Data of the page frame. Everything is lazy, because some pages show no navigation."""

    themes = THEMES

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.user: Any = getattr(request, "user", None)

    @property
    def signed_in(self) -> bool:
        """Return whether a user is signed in. Requests refused by an early middleware have no user."""
        return bool(self.user and self.user.is_authenticated)

    @property
    def is_program_staff(self) -> bool:
        """Return whether the page shows the navigation of program staff."""
        return self.signed_in and (self.user.is_reviewer or self.user.is_staff)

    @property
    def uses_browser_zone(self) -> bool:
        """Return whether times are in the browser's time zone: visitors, and users who did not select one."""
        return not (self.signed_in and self.user.zone_chosen)

    @property
    def canonical(self) -> str:
        """Return the canonical URL of the page, without the query."""
        return settings.SITE_URL + self.request.path

    @property
    def picture(self) -> str:
        """Return the URL of the preview image for shared links."""
        return urljoin(f"{settings.SITE_URL}/", static("og.png"))

    @cached_property
    def theme(self) -> str:
        return get_theme(self.request)

    @cached_property
    def rail(self) -> list[NavigationLink]:
        """Return the navigation of reviewers and staff, which is empty for partners."""
        if not self.is_program_staff:
            return []
        return self.build_links(NAVIGATION.program + (NAVIGATION.staff if self.user.is_staff else ()))

    @cached_property
    def menu(self) -> list[NavigationLink]:
        """Return the links of the user menu."""
        return self.build_links(NAVIGATION.menu)

    @cached_property
    def footer(self) -> list[NavigationLink]:
        """Return the links in the footer."""
        return self.build_links(NAVIGATION.footer)

    @cached_property
    def account(self) -> list[NavigationLink]:
        """Return the links between the account pages."""
        return self.build_links(NAVIGATION.account)

    @cached_property
    def companies(self) -> list[NavigationLink]:
        """Return the links to the companies of the user."""
        if not self.signed_in or self.is_program_staff:
            return []
        return [
            NavigationLink(partner.name, "building-2", get_url("partners:members", partner.slug))
            for partner in permissions.list_current_memberships(self.user)
        ]

    def build_links(self, entries: Sequence[LinkEntry]) -> list[NavigationLink]:
        """Return the links whose URLs exist."""
        return [
            NavigationLink(_(entry.label), entry.icon, href, self.get_aria_current(href))
            for entry in entries
            if (href := get_url(entry.name))
        ]

    def get_aria_current(self, href: str) -> str:
        """Return the value of aria-current for a link to this page or to a parent page."""
        path = self.request.path
        return "page" if path == href else "true" if path.startswith(href) else ""

    def __getitem__(self, name: str) -> str:
        """Return the URL of a named view for `frame.url_APP__NAME` in a template, or an empty string."""
        if not name.startswith("url_"):
            raise KeyError(name)
        return get_url(name.removeprefix("url_").replace("__", ":"))


def add_frame(request: HttpRequest) -> dict[str, Frame]:
    """Return the context of the page frame."""
    return {"frame": Frame(request)}
