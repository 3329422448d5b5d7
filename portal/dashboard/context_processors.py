"""What does the frame around every page know? Where one may go, who is reading, light or dark."""

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

THEMES = ("system", "light", "dark")
THEME_COOKIE = "theme"
# The rail of people who work for the programs: URL name, word, icon. An address that does not exist is left out.
PROGRAM_LINKS = (
    ("queue", gettext_noop("Queue"), "inbox"),
    ("integrations", gettext_noop("Integrations"), "plug"),
    ("sla", gettext_noop("SLA"), "timer"),
    ("companies", gettext_noop("Partners"), "building-2"),
    ("outbox", gettext_noop("Outbox"), "mail"),
    ("office", gettext_noop("Office"), "chart-line"),
    ("reports", gettext_noop("Reports"), "chart-column"),
)
STAFF_LINKS = (("admin:index", gettext_noop("Administration"), "settings"),)
MENU_LINKS = (
    ("profile", gettext_noop("Your profile"), "user"),
    ("mfa_index", gettext_noop("Two-factor authentication"), "shield-check"),
    ("sla", gettext_noop("SLA"), "timer"),
    ("reports", gettext_noop("Reports"), "chart-column"),
    ("notifications", gettext_noop("Notifications"), "bell"),
    ("webhooks", gettext_noop("Webhooks"), "webhook"),
    ("api_docs", gettext_noop("For developers"), "braces"),
    ("help", gettext_noop("Help"), "circle-question-mark"),
)
FOOTER_LINKS = (
    ("help", gettext_noop("Help"), ""),
    ("welcome", gettext_noop("Where to begin"), ""),
    ("programs", gettext_noop("Programs"), ""),
    ("checks_help", gettext_noop("Checks"), ""),
    ("words", gettext_noop("Words"), ""),
    ("listed", gettext_noop("Directory"), ""),
    ("verify", gettext_noop("Verify a badge"), ""),
    ("status", gettext_noop("Status"), ""),
)
ACCOUNT_LINKS = (
    ("profile", gettext_noop("Profile"), "user"),
    ("account_email", gettext_noop("Email addresses"), "mail"),
    ("account_change_password", gettext_noop("Password"), "key-round"),
    ("mfa_index", gettext_noop("Two-factor authentication"), "shield-check"),
    ("tokens", gettext_noop("API tokens"), "braces"),
    ("notification_choices", gettext_noop("What reaches you"), "bell"),
    ("socialaccount_connections", gettext_noop("Connections"), "link"),
)


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """One link of the frame."""

    word: str
    icon: str
    href: str
    current: str = ""


@lru_cache(maxsize=200)
def _reverse(urlconf: str, prefix: str, name: str, args: tuple[Any, ...]) -> str:
    try:
        return reverse(name, urlconf=urlconf, args=args)
    except NoReverseMatch:
        return ""


def get_url(name: str, *args: Any) -> str:
    """The address of a named view; blank where this portal has none."""
    return _reverse(get_urlconf() or settings.ROOT_URLCONF, get_script_prefix(), name, args)


def get_theme(request: HttpRequest) -> str:
    """The reader's choice of light or dark, from a cookie that anyone may have written."""
    theme = request.COOKIES.get(THEME_COOKIE, "system")
    return theme if theme in THEMES else "system"


class Frame:
    """Everything lazy: a page that shows no rail asks for none."""

    themes = THEMES

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.user: Any = getattr(request, "user", None)

    @property
    def signed_in(self) -> bool:
        """Whether a person is known. Early refusals happen before anyone is."""
        return bool(self.user and self.user.is_authenticated)

    @property
    def works_for_program(self) -> bool:
        """Whether the rail is shown."""
        return self.signed_in and (self.user.is_reviewer or self.user.is_staff)

    @property
    def zone_is_browsers(self) -> bool:
        """Whether moments are said in the browser's zone: the reader is a visitor, or never chose one."""
        return not (self.signed_in and self.user.zone_chosen)

    @property
    def canonical(self) -> str:
        """The one whole address of this page, without what was asked of it."""
        return f"{settings.SITE_URL.rstrip('/')}{self.request.path}"

    @property
    def picture(self) -> str:
        """The whole address of the picture that stands for the portal where a link to it is shown."""
        return urljoin(f"{settings.SITE_URL.rstrip('/')}/", static("og.png"))

    @cached_property
    def theme(self) -> str:
        return get_theme(self.request)

    @cached_property
    def rail(self) -> list[NavigationLink]:
        """The places of reviewers and staff; empty for partners."""
        if not self.works_for_program:
            return []
        return self.places(PROGRAM_LINKS + STAFF_LINKS if self.user.is_staff else PROGRAM_LINKS)

    @cached_property
    def menu(self) -> list[NavigationLink]:
        """The places under the person's own name."""
        return self.places(MENU_LINKS)

    @cached_property
    def foot(self) -> list[NavigationLink]:
        """The places below every page."""
        return self.places(FOOTER_LINKS)

    @cached_property
    def account(self) -> list[NavigationLink]:
        """The pages of the reader's own account."""
        return self.places(ACCOUNT_LINKS)

    @cached_property
    def companies(self) -> list[NavigationLink]:
        """The partners that the reader belongs to."""
        if not self.signed_in or self.works_for_program:
            return []
        return [
            NavigationLink(partner.name, "building-2", get_url("company", partner.slug))
            for partner in permissions.list_current_memberships(self.user)
        ]

    def places(self, table: Sequence[tuple[str, str, str]]) -> list[NavigationLink]:
        """The rows of a table whose addresses exist."""
        links = [(word, icon, get_url(name)) for name, word, icon in table]
        return [NavigationLink(_(word), icon, href, self.get_aria_current(href)) for word, icon, href in links if href]

    def get_aria_current(self, href: str) -> str:
        """The value of aria-current: this page, a page below it, or neither."""
        path = self.request.path
        return "page" if path == href else "true" if path.startswith(href) else ""

    def __getitem__(self, name: str) -> str:
        """`frame.url_NAME` in a template: that address, or blank."""
        if not name.startswith("url_"):
            raise KeyError(name)
        return get_url(name.removeprefix("url_"))


def add_frame(request: HttpRequest) -> dict[str, Frame]:
    """The context processor."""
    return {"frame": Frame(request)}
