"""Frame of the pages of signed-in users, and the theme of all pages."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from portal.ui.components.lists import NavigationLink
from portal.ui.components.markup import component


class PageFrame(Protocol):
    """Data of the page frame, with lists of links as items, such as `menu`."""

    request: HttpRequest
    user: AbstractBaseUser | AnonymousUser
    themes: Mapping[str, tuple[str, str]]

    @property
    def theme(self) -> str: ...
    @property
    def unread_count(self) -> str: ...
    @property
    def companies(self) -> Iterable[NavigationLink]: ...
    def __getitem__(self, name: str) -> Iterable[NavigationLink]: ...


@component
def document_links() -> None:
    """Render the links to the icon and the style sheets, and the configuration of htmx."""


@component
def product_mark() -> None:
    """Render the mark of the portal."""


@component
def theme_form(frame: PageFrame, csrf_token: object) -> None:
    """Render the buttons for the theme."""


@component
def frame_top(frame: PageFrame, csrf_token: object) -> None:
    """Render the top of a page: search, commands, notifications, and the menu of the user."""
