"""OpenAPI document and API reference page."""

import json
from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.api import problems, throttling
from portal.api.docs import reference
from portal.api.docs.document_parts import PARTS
from portal.api.scopes import SCOPES
from portal.api.v1.app import API_PREFIX, build_document


@cache
def _render_document() -> str:
    return json.dumps(build_document(), indent=1, ensure_ascii=False)


@login_not_required
@require_safe
def show_openapi_document(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI 3.1 document, readable from any origin."""
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300"}
    return HttpResponse(_render_document(), content_type="application/json", headers=headers)


@login_not_required
@require_safe
def show_reference(request: HttpRequest) -> HttpResponse:
    """Show all operations on one page."""
    groups = reference.list_groups()
    context = {
        "groups": groups,
        "count": sum(len(group["operations"]) for group in groups),
        "prefix": f"/{API_PREFIX}",
        "begin": reference.build_first_request(),
        "problems": problems.PROBLEM_TYPES,
        "scopes": SCOPES,
        "pages_only": PARTS.page_only_features,
        "anonymous": throttling.ANONYMOUS_REQUESTS_PER_MINUTE,
    }
    return render(request, "api/reference.html", context)


@csrf_exempt
@login_not_required
def show_not_found(request: HttpRequest) -> HttpResponse:
    """Return a problem for unknown API paths."""
    return problems.build_problem_response("not-found", "Unknown path. See /api/openapi.json for all operations.")
