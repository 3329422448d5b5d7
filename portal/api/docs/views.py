"""Where do developers read the API? The OpenAPI document, and a reference page made of it, without JavaScript."""

import json
from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.api import problems, throttling
from portal.api.docs import reference
from portal.api.v1.app import PREFIX, document


@cache
def _text() -> str:
    return json.dumps(document(), indent=1, ensure_ascii=False)


@login_not_required
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI 3.1 document. Every page of the web may read it."""
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300"}
    return HttpResponse(_text(), content_type="application/json", headers=headers)


@login_not_required
@require_safe
def reference_page(request: HttpRequest) -> HttpResponse:
    """Every operation, on one page."""
    groups = reference.groups()
    context = {
        "groups": groups, "count": sum(len(group.operations) for group in groups), "prefix": f"/{PREFIX}",
        "begin": reference.begin(), "problems": reference.problems(),
        "scopes": reference.scopes(), "pages_only": reference.pages_only(), "anonymous": throttling.ANONYMOUS,
    }  # fmt: skip
    return render(request, "api/reference.html", context)


@csrf_exempt
@login_not_required
def missing(request: HttpRequest) -> HttpResponse:
    """No such address: said as a problem, not as a page."""
    return problems.said("not-found", "There is no such address. The document at /api/openapi.json names all of them.")
