"""URLs of the sla app."""

from django.urls import path

from integrations.sla.issue_decisions import DECISIONS
from integrations.sla.views import calendar, issue, label_policy, monitoring

app_name = "sla"
urlpatterns = [
    path("company/<slug:slug>/calendar/", calendar.edit_calendar, name="calendar"),
    path("integrations/<uuid:uuid>/monitoring/", monitoring.show_monitoring, name="monitoring"),
    path("issues/<uuid:uuid>/", issue.show_issue, name="issue"),
    path("issues/<uuid:uuid>/dispute/", issue.show_dispute, name="dispute"),
    *(
        path(f"issues/<uuid:uuid>/{decision.slug}/", issue.build_decision_view(decision), name=decision.name)
        for decision in DECISIONS
    ),
    path("integrations/<uuid:uuid>/label-policy/", label_policy.show_label_policy, name="label_policy"),
    path("integrations/<uuid:uuid>/label-policy/decision/", label_policy.decide_proposal, name="decide_label_policy"),
]
