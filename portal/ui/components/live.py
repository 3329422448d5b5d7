"""Parts of pages that ask for themselves to stay current."""

from hashlib import sha256

from django.template import Context
from django.utils.safestring import SafeString

from portal.ui.components.markup import register, render

DIGEST_LENGTH = 20


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
    digest = sha256(stable_content.encode()).hexdigest()[:DIGEST_LENGTH]
    values = {"id": id, "url": url, "every": every, "css_class": css_class, "announced": announced}
    return render("ui/components/live.html", {**values, "content": SafeString(content), "digest": digest})
