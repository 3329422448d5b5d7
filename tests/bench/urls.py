"""The portal's addresses and two plain pages of the same server for comparison."""

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
PLAIN_TEMPLATE = engines["django"].from_string(PAGE)


@login_not_required
def show_plain_page(request: HttpRequest) -> HttpResponse:
    """Show a plain table of fifty integrations and their companies, without sign-in and layout."""
    rows = Integration.objects.select_related("partner").order_by("pk")[:50]
    return HttpResponse(PLAIN_TEMPLATE.render({"rows": rows}))


@login_not_required
def return_minimal_page(_request: HttpRequest) -> HttpResponse:
    """Return a minimal response, which still passes all middleware."""
    return HttpResponse("ok")


urlpatterns = [*portal, path("minimal/", return_minimal_page), path("plain/", show_plain_page)]
