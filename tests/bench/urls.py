"""The portal's addresses, and the floor: a plain page of fifty rows from one query, in the same server."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

from integrations.submissions.models import Integration
from portal.urls import urlpatterns as portal

PAGE = """<!doctype html><title>Rows</title><table>{% for row in rows %}<tr>
<td><a href="{% url 'submissions:detail' row.uuid %}">{{ row.name }}</a></td><td>{{ row.partner.name }}</td>
<td>{{ row.program_key }}</td><td>{{ row.stage }}</td><td>{{ row.next_action_label }}</td>
<td>{{ row.action_due_at|date:"D j M, H:i" }}</td></tr>{% endfor %}</table>"""
PLAIN = engines["django"].from_string(PAGE)


@login_not_required
def floor(request: HttpRequest) -> HttpResponse:
    """As anyone would write it: fifty rows of a table with their company, no sign-in, no frame."""
    rows = Integration.objects.select_related("partner").order_by("pk")[:50]
    return HttpResponse(PLAIN.render({"rows": rows}))


@login_not_required
def trivial(_request: HttpRequest) -> HttpResponse:
    """Nothing at all, through all that stands before a page."""
    return HttpResponse("ok")


urlpatterns = [*portal, path("trivial/", trivial), path("floor/", floor)]
