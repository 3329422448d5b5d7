"""One-click unsubscription from a notification category by a signed URL.

RFC 8058: the List-Unsubscribe header holds the URL; a POST to it turns off the category without a sign-in.
"""

from typing import Any

from django.contrib.auth import get_user_model
from django.core import signing
from django.utils.translation import gettext as _

from portal.core.site_urls import build_absolute_url
from portal.notifications.categories import CATEGORY_BY_KEY

# Each kind of link has its own salt, so that a token of one doesn't work in another.
SALT = "notices"
DIGEST = "digest"


def build_url(person: Any, kind: str, *, page: str = "inbox:stop", salt: str = SALT) -> str:
    """Return the URL that unsubscribes a person. It does not expire, because emails may be old."""
    return build_absolute_url(page, signing.dumps([person.pk, kind], salt=salt))


def read_token(token: str, *, salt: str = SALT) -> tuple[Any, str] | None:
    """Return the active person and the kind of a token, or None if it is invalid or the person is gone."""
    try:
        pk, kind = signing.loads(token, salt=salt)
    except (signing.BadSignature, ValueError):
        return None
    person = get_user_model().objects.filter(pk=pk, is_active=True).first()
    return (person, kind) if person else None


def parse_token(token: str) -> tuple[object, str] | None:
    """Return the person and category of a token, or None if it is invalid or one of them no longer exists."""
    target = read_token(token)
    kind = target[1] if target else ""
    is_known = kind == DIGEST or (kind in CATEGORY_BY_KEY and not CATEGORY_BY_KEY[kind].locked)
    return target if is_known else None


def get_title(kind: str) -> str:
    return _("Digest") if kind == DIGEST else _(CATEGORY_BY_KEY[kind].title)
