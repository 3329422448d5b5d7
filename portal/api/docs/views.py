"""OpenAPI document and pages of the API reference."""

import json
from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import conditional_page, require_safe
from django.views.decorators.vary import vary_on_headers

from portal.api import problems, throttling
from portal.api.docs import reference
from portal.api.scopes import SCOPES
from portal.api.v1.app import API_PREFIX, PARTS, build_document
from portal.core.form_fields import clean_search_query
from portal.core.public_views import ignore_session
from portal.ui.htmx import is_fragment_request


@cache
def _render_document() -> str:
    return json.dumps(build_document(), ensure_ascii=False, separators=(",", ":"))


@ignore_session
@require_safe
@conditional_page
def show_openapi_document(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI 3.1 document, readable from any origin."""
    # Tools that run in a browser read the document from another site. It is public and has no data.
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300"}
    return HttpResponse(_render_document(), content_type="application/json", headers=headers)


@login_not_required
@require_safe
@vary_on_headers("HX-Request")
def show_reference(request: HttpRequest) -> HttpResponse:
    """Show the conventions of the API and its operations, which a query limits."""
    query = clean_search_query(request.GET.get("q", ""))
    groups = reference.list_groups(query)
    context = {
        "groups": groups,
        "count": sum(len(group["operations"]) for group in groups),
        "q": query,
        "prefix": f"/{API_PREFIX}",
        "begin": reference.build_first_request(),
        "problems": {
            kind: (status, reference.render_inline_code(meaning))
            for kind, (status, _, meaning) in problems.PROBLEM_TYPES.items()
        },
        "scopes": SCOPES,
        "pages_only": PARTS.page_only_features,
        "anonymous": throttling.ANONYMOUS_REQUESTS_PER_MINUTE,
    }
    return render(request, f"api/reference.html{'#results' if is_fragment_request(request) else ''}", context)


@login_not_required
@require_safe
def show_reference_group(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the operations of a group with their parameters, bodies, and responses."""
    group = reference.build_group(slug)
    if group is None:
        raise Http404
    return render(request, "api/reference_group.html", {"group": group, "groups": reference.list_groups()})


@csrf_exempt
@login_not_required
def show_not_found(request: HttpRequest) -> HttpResponse:
    """Return a problem for unknown API paths."""
    return problems.build_problem_response("not-found", "Unknown path. See /api/openapi.json for all operations.")
