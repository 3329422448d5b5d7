"""What do other people's pages fetch? The badge, its twin for machines, its statement, and the keys.

Everything here is for everybody and never older than 30 seconds: what is suspended or removed says so within a minute,
wherever the badge stands. What was listed once has a badge forever.
"""

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from integrations.submissions.models import Integration
from portal.directory.badges import payloads, rendering, signing_keys, statements
from portal.directory.badges.status import Truth, truth_of

FRESH = "public, max-age=30, must-revalidate"
SVG, JSON, KEY_SET, PEM = "image/svg+xml", "application/json", "application/jwk-set+json", "application/x-pem-file"
View = Callable[..., HttpResponse]


def for_everybody(view: View) -> View:
    """A file that any page may fetch: no sign-in, no cookie, a short life, and nothing to run in it."""

    @wraps(view)
    def shown(request: HttpRequest, **parts: Any) -> HttpResponse:
        answer = view(request, **parts)
        answer["Cache-Control"] = FRESH
        answer["Access-Control-Allow-Origin"] = "*"
        answer["Cross-Origin-Resource-Policy"] = "cross-origin"
        answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
        etag = f'"{hashlib.sha256(answer.content).hexdigest()[:32]}"'
        answer["ETag"] = etag
        if hasattr(request, "session"):
            request.session.accessed = False  # it was asked for the reader's zone: what is shown here knows no reader
        return get_conditional_response(request, etag=etag, response=answer) or answer

    return login_not_required(require_safe(shown))


def truth_or_404(uuid: UUID) -> Truth:
    """What is true of what was listed at some time. Raises Http404."""
    row = Integration.objects.listed_once().select_related("partner").filter(uuid=uuid).first()
    if row is None:
        raise Http404("This integration was never listed.")
    return truth_of(row)


@for_everybody
def badge_svg(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The picture. ?style=large for the card; a style that there is not is the flat one."""
    draw = rendering.STYLES.get(request.GET.get("style", ""), rendering.flat)
    return HttpResponse(draw(truth_or_404(uuid), timezone.now().date()), content_type=SVG)


@for_everybody
def badge_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """All that the badge knows; with ?format=shields in the words of shields.io."""
    truth = truth_or_404(uuid)
    return _json(payloads.shields(truth) if request.GET.get("format") == "shields" else payloads.full(truth))


@for_everybody
def badge_shields(_request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same for services that take no query."""
    return _json(payloads.shields(truth_or_404(uuid)))


@for_everybody
def badge_statement(_request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The signed statement, fresh: flattened JSON of a JSON Web Signature."""
    return HttpResponse(statements.canonical(signed(truth_or_404(uuid))), content_type=JSON)


@for_everybody
def badge_statement_compact(_request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same statement as one word, for addresses and for openssl."""
    return HttpResponse(statements.compact(signed(truth_or_404(uuid))), content_type="application/jose")


@for_everybody
def badge_keys(_request: HttpRequest) -> HttpResponse:
    """The public keys, newest first."""
    return _json(signing_keys.key_set(settings.BADGE_KEYS), KEY_SET)


@for_everybody
def badge_key(_request: HttpRequest, kid: str) -> HttpResponse:
    """One public key as openssl reads it."""
    found = signing_keys.public_keys(signing_keys.key_set(settings.BADGE_KEYS)).get(kid)
    if found is None:
        raise Http404("The portal has no key of that name.")
    return HttpResponse(signing_keys.pem(found), content_type=PEM)


def signed(truth: Truth) -> dict[str, str]:
    """A statement of the truth, signed now with the newest key."""
    claims = statements.claims_of(truth, settings.SITE_URL, timezone.now())
    return statements.sign(claims, signing_keys.signing_key(settings.BADGE_KEYS[0]))


def _json(value: dict[str, Any], kind: str = JSON) -> HttpResponse:
    return HttpResponse(json.dumps(value, indent=2, ensure_ascii=False) + "\n", content_type=kind)


urlpatterns = [
    path("listed/<uuid:uuid>/badge.svg", badge_svg, name="badge_svg"),
    path("listed/<uuid:uuid>/badge.json", badge_json, name="badge_json"),
    path("listed/<uuid:uuid>/badge.shields.json", badge_shields, name="badge_shields"),
    path("listed/<uuid:uuid>/statement.json", badge_statement, name="badge_statement"),
    path("listed/<uuid:uuid>/statement.jws", badge_statement_compact, name="badge_statement_compact"),
    path(".well-known/badge-keys.json", badge_keys, name="badge_keys"),
    path(".well-known/badge-keys/<str:kid>.pem", badge_key, name="badge_key"),
]
