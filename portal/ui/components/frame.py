"""Frame of the pages of signed-in users, and the theme of all pages.

`frame` is the Frame of portal.dashboard.context_processors.
"""

from portal.ui.components.markup import component


@component
def document_links() -> None:
    """Render the links to the icon and the style sheets, and the configuration of htmx."""


@component
def product_mark() -> None:
    """Render the mark of the portal."""


@component
def theme_form(frame: object, csrf_token: object) -> None:
    """Render the buttons for the theme."""


@component
def frame_top(frame: object, csrf_token: object) -> None:
    """Render the top of a page: search, commands, notifications, and the menu of the user."""
