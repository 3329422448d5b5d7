"""Context of the page frame: navigation, signed-in user, and theme."""

from functools import cache, cached_property
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions
from portal.accounts.people import can_view_people
from portal.core.content_files import load_content
from portal.core.value_types import JsonObject
from portal.notifications.selectors import MAX_UNSEEN_COUNT, count_unseen_emails
from portal.ui.components.lists import NavigationLink

# Label and icon by the value of the cookie.
THEMES = {
    "system": (gettext_noop("System"), "monitor"),
    "light": (gettext_noop("Light"), "sun"),
    "dark": (gettext_noop("Dark"), "moon"),
}
THEME_COOKIE = "theme"
NAVIGATION = load_content("portal/dashboard/content/navigation.yaml", JsonObject)


@cache
def _list_links(name: str) -> list[tuple[str, str, str]]:
    """Return label, icon, and address of the links of a list, which never change while the process runs."""
    return [(entry["label"], entry.get("icon", ""), reverse(entry["name"])) for entry in NAVIGATION[name]]


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
        return permissions.is_program_staff(self.user)

    @property
    def can_read_audit_log(self) -> bool:
        """Return whether the page shows links to the audit log."""
        return permissions.can_read_audit_log(self.user)

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
        """Return the selected theme from an untrusted cookie."""
        theme = self.request.COOKIES.get(THEME_COOKIE, "")
        return theme if theme in THEMES else "system"

    @cached_property
    def rail(self) -> list[NavigationLink]:
        """Return the navigation of program staff and administrators, which is empty for partners."""
        if not self.signed_in:
            return []
        program = self["program"] if self.is_program_staff else []
        people = self["people"] if can_view_people(self.user) else []
        audit = self["audit"] if self.can_read_audit_log else []
        return [*program, *people, *audit, *(self["staff"] if self.user.is_staff else [])]

    @cached_property
    def unread_count(self) -> str:
        """Return the number of unread notifications as a label, blank without any."""
        count = count_unseen_emails(self.user.pk, timezone.now()) if self.signed_in else 0
        return f"{MAX_UNSEEN_COUNT - 1}+" if count == MAX_UNSEEN_COUNT else str(count or "")

    @cached_property
    def companies(self) -> list[NavigationLink]:
        """Return the links to the companies of the user."""
        if not self.signed_in or self.is_program_staff:
            return []
        return [
            NavigationLink(partner.name, "building-2", reverse("partners:members", args=[partner.slug]))
            for partner in permissions.list_current_memberships(self.user)
        ]

    def __getitem__(self, name: str) -> list[NavigationLink]:
        """Return the links of a list in navigation.yaml, for `frame.menu` in a template."""
        return [
            NavigationLink(_(label), icon, href, self.get_aria_current(href)) for label, icon, href in _list_links(name)
        ]

    def get_aria_current(self, href: str) -> str:
        """Return the value of aria-current for a link to this page or to a parent page."""
        path = self.request.path
        match = self.request.resolver_match
        if match and match.namespace == "reviews" and path.startswith(reverse("submissions:list")):
            path = f"{reverse('reviews:queue')}{match.url_name}"  # the pages of a review belong to the queue
        if path == href:
            return "page"
        return "true" if path.startswith(href) else ""


def add_frame(request: HttpRequest) -> dict[str, Frame]:
    """Return the context of the page frame."""
    return {"frame": Frame(request)}
