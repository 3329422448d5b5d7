"""Parts of pages that ask for themselves to stay current."""

from hashlib import sha256

from django.template import Context
from django.utils.safestring import SafeString

from portal.ui.components.markup import register, render

DIGEST_LENGTH = 20


def calculate_digest(content: str) -> str:
    """Return what identifies the content of a part."""
    return sha256(content.encode()).hexdigest()[:DIGEST_LENGTH]


@register.simple_block_tag(takes_context=True)
def live(
    context: Context,
    content: str,
    *,
    id: str,
    url: str = "",
    every: str = "2s",
    css_class: str = "",
    announced: bool = False,
) -> SafeString:
    """Render a part of a page that htmx replaces with the response of `url`. Without a URL, it stays as it is.

    The request names the content that the page shows. If it is unchanged, `skip_unchanged_parts` responds with 304, so
    that selections and the position of a screen reader stay. With `announced`, screen readers announce changes.
    """
    stable_content = content
    if "csrfmiddlewaretoken" in content:
        # Each response has another token. Without a form, reading the token would set a needless cookie.
        stable_content = content.replace(str(context.get("csrf_token", "")), "")
    digest = calculate_digest(stable_content)
    values = {"id": id, "url": url, "every": every, "css_class": css_class, "announced": announced}
    return render("ui/components/live.html", {**values, "content": SafeString(content), "digest": digest})


@register.simple_block_tag
def live_part(content: str, *, id: str, element: str = "div", swap: bool = False) -> SafeString:
    """Render a part that the response of another live part also updates. With `swap`, htmx replaces it by its ID.

    A part that the page already shows stays, with its selection: the script compares the digests.
    """
    values = {"id": id, "element": element, "swap": swap}
    return render("ui/components/live_part.html", {**values, "content": content, "digest": calculate_digest(content)})
