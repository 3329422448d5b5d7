"""Integrations in support whose issues become overdue during a chaos run."""

from datetime import datetime, timedelta
from uuid import uuid4

from django.db import connection

from integrations.partners.models import Membership, Partner
from integrations.sla.models import MonitoredRepository, SlaClock
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.bench.world import build, fill

ISSUE_NAMES_QUERY = "SELECT clock.id, repository.repository || '#' || issue.number FROM sla_slaclock clock JOIN sla_supportissue issue ON issue.id = clock.issue_id JOIN sla_monitoredrepository repository ON repository.id = clock.monitored_repository_id WHERE clock.due_at <= %s AND clock.is_committed"  # noqa: E501


def create_world(due: int, later: int, integrations: int, begin: datetime, seconds: int) -> None:
    """Create `due` clocks with due times spread over `seconds` from `begin`, and `later` ones due after the run.

    Every integration has a repository, a company, and an owner. The program's emails go to its mailbox.
    """
    like, *_ = build()
    fill(like, integrations)
    for partner in Partner.objects.filter(memberships=None):
        owner = User.objects.create_user(f"owner@{partner.slug}.example", "chaos", name=f"Owner {partner.slug}")
        Membership.objects.create(partner=partner, user=owner, role="owner", joined_at=begin)
    rows = list(Integration.objects.order_by("pk"))
    for row in rows:
        row.reviewer_id = None
        row.repository = f"chaos/repository-{row.pk}"
    Integration.objects.bulk_update(rows, ["reviewer_id", "repository"], batch_size=500)
    far = begin + timedelta(days=30)
    MonitoredRepository.objects.bulk_create(
        MonitoredRepository(uuid=uuid4(), integration=row, repository=row.repository, began_at=begin, data_up_to=far)
        for row in rows
    )
    with connection.cursor() as cursor:
        cursor.execute(INSERT_ISSUES, {"count": due + later, "now": begin})
        cursor.execute(INSERT_CLOCKS, {"due": due, "begin": begin, "step": seconds / due, "far": far})
        cursor.execute("ANALYZE")
    assert SlaClock.objects.count() == due + later


def read_due_issue_names(at: datetime) -> dict[int, str]:
    """Return the issue name used in emails, by ID of each committed clock that is due by then."""
    with connection.cursor() as cursor:
        cursor.execute(ISSUE_NAMES_QUERY, [at])
        return dict(cursor.fetchall())


INSERT_ISSUES = """
INSERT INTO sla_supportissue (uuid, monitored_repository_id, integration_id, github_id, number, title, url, author,
       opened_at, is_open, severity, last_commenter_role, updated_at, edition)
SELECT gen_random_uuid(), repository.id, repository.integration_id, n, n, 'Issue ' || n, 'https://github.com/chaos/'
       || n, 'reporter', %(now)s, true, 'critical', 'reporter', %(now)s, ''
  FROM generate_series(1, %(count)s) n
  JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS places FROM sla_monitoredrepository)
       AS repository
    ON repository.place = n %% repository.places
"""
INSERT_CLOCKS = """
INSERT INTO sla_slaclock (issue_id, monitored_repository_id, integration_id, target_type, is_committed, severity, state,
       started_at, due_at, warn50_at, warn75_at, warn90_at, next_at, warned, counted_seconds, paused_seconds)
SELECT issue.id, issue.monitored_repository_id, issue.integration_id, 'resolve', true, 'critical', 'running',
       issue.opened_at, at, at, at, at, at, 90, 0, 0
  FROM sla_supportissue issue,
       LATERAL (SELECT CASE WHEN issue.number <= %(due)s THEN %(begin)s + issue.number * %(step)s * interval '1 second'
                            ELSE %(far)s END AS at) moment
"""
