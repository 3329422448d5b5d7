"""Public badge files: images, JSON, statements, and keys.

All files are public and cached for at most 30 seconds, so a suspension shows within a minute on every page. An
integration that was listed keeps its badge forever.
"""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import conditional_page, require_safe

from portal.core.public_views import ignore_session
from portal.directory.badges import rendering, signing_keys
from portal.directory.badges.payloads import build_full_payload, build_shields_payload
from portal.directory.badges.statements import build_claims, encode_canonical_json, serialize_compact, sign_claims
from portal.directory.badges.status import BadgeStatus, find_badge_status
from portal.directory.models import Listing

CACHE_CONTROL = "public, max-age=30, must-revalidate"
JSON = "application/json"
JOSE = "application/jose"
BadgeView = Callable[..., HttpResponse]


def serve_publicly(view: BadgeView) -> BadgeView:
    """Make a view public for all origins, without cookies, with a short cache time and a strict content policy."""

    @wraps(view)
    def handle(request: HttpRequest, **parts: object) -> HttpResponse:
        try:
            response = view(request, **parts)
            response["Cache-Control"] = CACHE_CONTROL
        except Http404 as error:  # scripts of other sites can't read the page of an error
            response = HttpResponse(f"{error}\n", status=404, content_type="text/plain; charset=utf-8")
        # Badges are embedded in other sites, and their statements are verified there.
        response["Access-Control-Allow-Origin"] = "*"
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        # A second barrier besides escaping: an SVG that is opened as a page can run scripts.
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    return ignore_session(require_safe(conditional_page(handle)))


def get_badge_status_or_404(uuid: UUID) -> BadgeStatus:
    """Return the status of an integration that is or was listed, or raise Http404."""
    badge_status = find_badge_status(uuid)
    if badge_status is None:
        raise Http404("This integration was never listed.")
    return badge_status


def _render_svg(badge_status: BadgeStatus, request: HttpRequest) -> str:
    """Return the badge image. Use ?style=large for the large style. Unknown styles use the flat style."""
    render = rendering.RENDERERS_BY_STYLE.get(request.GET.get("style", ""), rendering.render_flat)
    return render(badge_status, timezone.now().date())


def _format_full_payload(badge_status: BadgeStatus) -> str:
    listing = Listing.objects.filter(uuid=badge_status.uuid).first()
    return _format_json(build_full_payload(badge_status, listing))


def _sign_statement(badge_status: BadgeStatus) -> dict[str, str]:
    """Return a new statement of the current status, signed with the newest key."""
    claims = build_claims(badge_status, settings.SITE_URL, timezone.now())
    return sign_claims(claims, signing_keys.derive_signing_key(settings.BADGE_SIGNING_KEYS[0]))


def _format_json(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# The files of a listing: name, URL name, content type, and content.
BADGE_FILES: tuple[tuple[str, str, str, Callable[[BadgeStatus, HttpRequest], str | bytes]], ...] = (
    ("badge.svg", "badge_svg", "image/svg+xml", _render_svg),
    ("badge.json", "badge_json", JSON, lambda status, _: _format_full_payload(status)),
    ("badge.shields.json", "badge_shields", JSON, lambda status, _: _format_json(build_shields_payload(status))),
    ("statement.json", "badge_statement", JSON, lambda status, _: encode_canonical_json(_sign_statement(status))),
    ("statement.jws", "badge_statement_compact", JOSE, lambda status, _: serialize_compact(_sign_statement(status))),
)


@serve_publicly
def show_badge_file(
    request: HttpRequest, uuid: UUID, content_type: str, build: Callable[[BadgeStatus, HttpRequest], str | bytes]
) -> HttpResponse:
    """Return a file of BADGE_FILES."""
    return HttpResponse(build(get_badge_status_or_404(uuid), request), content_type)


@serve_publicly
def show_keys(_request: HttpRequest) -> HttpResponse:
    """Return the public keys, newest first."""
    key_set = signing_keys.build_key_set(settings.BADGE_SIGNING_KEYS)
    return HttpResponse(_format_json(key_set), "application/jwk-set+json")


@serve_publicly
def show_key(_request: HttpRequest, kid: str) -> HttpResponse:
    """Return a public key in PEM format."""
    key = signing_keys.parse_public_keys(signing_keys.build_key_set(settings.BADGE_SIGNING_KEYS)).get(kid)
    if key is None:
        raise Http404("Key not found.")
    return HttpResponse(signing_keys.encode_pem(key), "application/x-pem-file")
