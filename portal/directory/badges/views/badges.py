"""Public badge files: images, JSON, statements, and keys.

All files are public and cached for at most 30 seconds, so a suspension shows within a minute on every page. An
integration that was listed keeps its badge forever.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import wraps
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
from portal.directory.badges.status import BadgeStatus, get_badge_status

CACHE_CONTROL = "public, max-age=30, must-revalidate"
SVG_CONTENT_TYPE, JSON_CONTENT_TYPE, KEY_SET_CONTENT_TYPE, PEM_CONTENT_TYPE = (
    "image/svg+xml",
    "application/json",
    "application/jwk-set+json",
    "application/x-pem-file",
)
BadgeView = Callable[..., HttpResponse]


def serve_publicly(view: BadgeView) -> BadgeView:
    """Make a view public for all origins, without cookies, with a short cache time and a strict content policy."""

    @wraps(view)
    def handle(request: HttpRequest, **parts: object) -> HttpResponse:
        response = view(request, **parts)
        response["Cache-Control"] = CACHE_CONTROL
        response["Access-Control-Allow-Origin"] = "*"
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        response["ETag"] = etag
        if hasattr(request, "session"):
            request.session.accessed = False  # the middleware read the session, but the response does not depend on it
        return get_conditional_response(request, etag=etag, response=response) or response

    return login_not_required(require_safe(handle))


def get_badge_status_or_404(uuid: UUID) -> BadgeStatus:
    """Return the status of an integration that is or was listed, or raise Http404."""
    row = Integration.objects.filter_released().select_related("partner").filter(uuid=uuid).first()
    if row is None:
        raise Http404("This integration was never listed.")
    return get_badge_status(row)


@serve_publicly
def show_badge_svg(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Return the badge image. Use ?style=large for the large style. Unknown styles use the flat style."""
    render = rendering.RENDERERS_BY_STYLE.get(request.GET.get("style", ""), rendering.render_flat)
    return HttpResponse(render(get_badge_status_or_404(uuid), timezone.now().date()), content_type=SVG_CONTENT_TYPE)


@serve_publicly
def show_badge_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Return the badge as JSON. Use ?format=shields for shields.io."""
    badge_status = get_badge_status_or_404(uuid)
    return _build_json_response(
        payloads.build_shields_payload(badge_status)
        if request.GET.get("format") == "shields"
        else payloads.build_full_payload(badge_status)
    )


@serve_publicly
def show_shields_json(_request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Return the badge for shields.io, for services that do not support query strings."""
    return _build_json_response(payloads.build_shields_payload(get_badge_status_or_404(uuid)))


@serve_publicly
def show_statement(_request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Return a new signed statement as flattened JSON."""
    return HttpResponse(
        statements.encode_canonical_json(sign_current_statement(get_badge_status_or_404(uuid))),
        content_type=JSON_CONTENT_TYPE,
    )


@serve_publicly
def show_compact_statement(_request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Return a new signed statement in compact serialization."""
    return HttpResponse(
        statements.serialize_compact(sign_current_statement(get_badge_status_or_404(uuid))),
        content_type="application/jose",
    )


@serve_publicly
def show_keys(_request: HttpRequest) -> HttpResponse:
    """Return the public keys, newest first."""
    return _build_json_response(signing_keys.build_key_set(settings.BADGE_SIGNING_KEYS), KEY_SET_CONTENT_TYPE)


@serve_publicly
def show_key(_request: HttpRequest, kid: str) -> HttpResponse:
    """Return a public key in PEM format."""
    key = signing_keys.parse_public_keys(signing_keys.build_key_set(settings.BADGE_SIGNING_KEYS)).get(kid)
    if key is None:
        raise Http404("Key not found.")
    return HttpResponse(signing_keys.encode_pem(key), content_type=PEM_CONTENT_TYPE)


def sign_current_statement(badge_status: BadgeStatus) -> dict[str, str]:
    """Return a statement of the current status, signed with the newest key."""
    claims = statements.build_claims(badge_status, settings.SITE_URL, timezone.now())
    return statements.sign_claims(claims, signing_keys.derive_signing_key(settings.BADGE_SIGNING_KEYS[0]))


def _build_json_response(value: Mapping[str, object], content_type: str = JSON_CONTENT_TYPE) -> HttpResponse:
    return HttpResponse(json.dumps(value, indent=2, ensure_ascii=False) + "\n", content_type=content_type)


urlpatterns = [
    path("directory/<uuid:uuid>/badge.svg", show_badge_svg, name="badge_svg"),
    path("directory/<uuid:uuid>/badge.json", show_badge_json, name="badge_json"),
    path("directory/<uuid:uuid>/badge.shields.json", show_shields_json, name="badge_shields"),
    path("directory/<uuid:uuid>/statement.json", show_statement, name="badge_statement"),
    path("directory/<uuid:uuid>/statement.jws", show_compact_statement, name="badge_statement_compact"),
    path(".well-known/badge-keys.json", show_keys, name="badge_keys"),
    path(".well-known/badge-keys/<str:kid>.pem", show_key, name="badge_key"),
]
