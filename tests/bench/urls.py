"""The portal's addresses, and the floor: a plain page of fifty rows from one query, in the same server."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

from integrations.models import Integration
from portal.urls import urlpatterns as portal

PAGE = """<!doctype html><title>Rows</title><table>{% for row in rows %}<tr>
<td><a href="/{{ row.uuid }}">{{ row.name }}</a></td><td>{{ row.partner__name }}</td><td>{{ row.program_key }}</td>
<td>{{ row.stage }}</td><td>{{ row.turn_action }}</td></tr>{% endfor %}</table>"""
COLUMNS = ("uuid", "name", "partner__name", "program_key", "stage", "turn_action")


@login_not_required
def floor(request: HttpRequest) -> HttpResponse:
    rows = Integration.objects.order_by("pk").values(*COLUMNS)[:50]
    return HttpResponse(engines["django"].from_string(PAGE).render({"rows": rows}))


urlpatterns = [*portal, path("floor/", floor)]
