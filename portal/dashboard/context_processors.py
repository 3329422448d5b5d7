"""Context of the page frame: navigation, signed-in user, and theme."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions

# Label and icon by the value of the cookie.
THEMES = {
    "system": (gettext_noop("System"), "monitor"),
    "light": (gettext_noop("Light"), "sun"),
    "dark": (gettext_noop("Dark"), "moon"),
}
THEME_COOKIE = "theme"
# Navigation of program staff: URL name, label, icon. Links to missing URLs are left out.
PROGRAM_LINKS = (
    ("reviews:queue", gettext_noop("Review queue"), "inbox"),
    ("submissions:list", gettext_noop("Integrations"), "plug"),
    ("reports:sla_dashboard", gettext_noop("SLA"), "timer"),
    ("reviews:partners", gettext_noop("Partners"), "building-2"),
    ("inbox:email_log", gettext_noop("Email log"), "mail"),
    ("analytics:overview", gettext_noop("Analytics"), "chart-line"),
    ("reports:list", gettext_noop("Reports"), "chart-column"),
)
STAFF_LINKS = (("admin:index", gettext_noop("Administration"), "settings"),)
MENU_LINKS = (
    ("accounts:profile", gettext_noop("Your profile"), "user"),
    ("mfa_index", gettext_noop("Two-factor authentication"), "shield-check"),
    ("reports:sla_dashboard", gettext_noop("SLA"), "timer"),
    ("reports:list", gettext_noop("Reports"), "chart-column"),
    ("inbox:list", gettext_noop("Notifications"), "bell"),
    ("webhooks:list", gettext_noop("Webhooks"), "webhook"),
    ("api:docs", gettext_noop("For developers"), "braces"),
    ("help:index", gettext_noop("Help"), "circle-question-mark"),
)
FOOTER_LINKS = (
    ("help:index", gettext_noop("Help"), ""),
    ("help:getting_started", gettext_noop("Getting started"), ""),
    ("submissions:programs", gettext_noop("Programs"), ""),
    ("checks:help", gettext_noop("Checks"), ""),
    ("help:glossary", gettext_noop("Glossary"), ""),
    ("directory:list", gettext_noop("Directory"), ""),
    ("directory:verify_badge", gettext_noop("Verify a badge"), ""),
    ("status:index", gettext_noop("Status"), ""),
)
ACCOUNT_LINKS = (
    ("accounts:profile", gettext_noop("Profile"), "user"),
    ("accounts:email_addresses", gettext_noop("Email addresses"), "mail"),
    ("account_change_password", gettext_noop("Password"), "key-round"),
    ("mfa_index", gettext_noop("Two-factor authentication"), "shield-check"),
    ("api:tokens", gettext_noop("API tokens"), "braces"),
    ("inbox:preferences", gettext_noop("Notification preferences"), "bell"),
    ("socialaccount_connections", gettext_noop("GitHub accounts"), "link"),
)


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
        return f"{settings.SITE_URL.rstrip('/')}{self.request.path}"

    @property
    def picture(self) -> str:
        """Return the URL of the preview image for shared links."""
        return urljoin(f"{settings.SITE_URL.rstrip('/')}/", static("og.png"))

    @cached_property
    def theme(self) -> str:
        return get_theme(self.request)

    @cached_property
    def rail(self) -> list[NavigationLink]:
        """Return the navigation of reviewers and staff, which is empty for partners."""
        if not self.is_program_staff:
            return []
        return self.build_links(PROGRAM_LINKS + STAFF_LINKS if self.user.is_staff else PROGRAM_LINKS)

    @cached_property
    def menu(self) -> list[NavigationLink]:
        """Return the links of the user menu."""
        return self.build_links(MENU_LINKS)

    @cached_property
    def footer(self) -> list[NavigationLink]:
        """Return the links in the footer."""
        return self.build_links(FOOTER_LINKS)

    @cached_property
    def account(self) -> list[NavigationLink]:
        """Return the links between the account pages."""
        return self.build_links(ACCOUNT_LINKS)

    @cached_property
    def companies(self) -> list[NavigationLink]:
        """Return the links to the companies of the user."""
        if not self.signed_in or self.is_program_staff:
            return []
        return [
            NavigationLink(partner.name, "building-2", get_url("partners:members", partner.slug))
            for partner in permissions.list_current_memberships(self.user)
        ]

    def build_links(self, table: Sequence[tuple[str, str, str]]) -> list[NavigationLink]:
        """Return the links of a table whose URLs exist."""
        links = [(label, icon, get_url(name)) for name, label, icon in table]
        return [
            NavigationLink(_(label), icon, href, self.get_aria_current(href)) for label, icon, href in links if href
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
