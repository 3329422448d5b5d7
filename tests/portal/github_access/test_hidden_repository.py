"""Tests of a repository that turns private after the start: the partner connects GitHub, and no check fails."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors.context import list_integration_actions
from integrations.submissions.services.creation import change_repository_reader
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.github_access.clients import build_grant_client
from portal.github_access.services import revoke_grant
from tests.conftest import create_integration
from tests.fakes.github.server import GitHub
from tests.portal.github_access.conftest import PUBLIC, SECRET, Connect
from verification.checks.services.runner import list_checked_requirements, run_integration_checks
from verification.sources import Sources

pytestmark = [pytest.mark.any_database, pytest.mark.github]


@pytest.fixture
def row(acme: Partner, alice: User, github_app: GitHub) -> Integration:
    """An integration whose repository was public when it started."""
    row = create_integration(acme, alice, "terraform-provider")
    row.repository = SECRET.full_name
    row.repository_id = github_app.request("GET", f"/repos/{SECRET.full_name}")["id"]
    row.save()
    return row


def run_check(row: Integration, now: datetime, sources: Sources | None = None) -> RequirementFulfillment:
    row = Integration.objects.select_related("partner").get(pk=row.pk)
    requirement = next(r for r in list_checked_requirements(row) if "repository.public" in r.checks)
    run_integration_checks(row, {requirement.id}, now=now, sources=sources)
    return RequirementFulfillment.objects.get(integration=row, requirement_id=requirement.id)


def list_partner_codes(row: Integration, now: datetime) -> list[str]:
    row = Integration.objects.select_related("partner").get(pk=row.pk)
    return [action.code for action in list_integration_actions(row, now) if action.responsible_party == "partner"]


def test_partner_is_asked_to_connect_github_and_no_check_fails(
    row: Integration, connect: Connect, sign_in: Callable[[User], Any], alice: User, now: datetime
) -> None:
    run_check(row, now - timedelta(hours=1), Sources(build_grant_client(connect(alice))))  # as if it were public
    revoke_grant(alice, now=now)
    state = run_check(row, now)
    assert (state.status, state.detail[0]["needs_access"]) == ("not_run", True)
    assert "connect_github" in list_partner_codes(row, now)
    client = sign_in(alice)
    page = client.get(reverse("submissions:requirement", args=[row.uuid, state.requirement_id])).content.decode()
    button = reverse("discovery:change_reader", args=[row.uuid])
    assert f'action="{button}"' in page
    assert client.post(button)["Location"].startswith(f"{reverse('github_access:access')}?next=")
    connect(alice)
    assert sign_in(alice).post(button).status_code == 302
    assert Integration.objects.get(pk=row.pk).repository_reader == alice
    state = run_check(row, now + timedelta(hours=1))
    assert state.detail[0]["needs_access"] is False
    assert "connect_github" not in list_partner_codes(row, now)


def test_outage_asks_no_one_to_connect_github(row: Integration, github_app: GitHub, now: datetime) -> None:
    github_app.fail(f"/repos/{SECRET.full_name}", 502)
    state = run_check(row, now)
    assert (state.status, state.detail[0]["needs_access"]) == ("error", False)
    assert "connect_github" not in list_partner_codes(row, now)


def test_public_repository_is_not_read_with_anyones_access(row: Integration, alice: User, now: datetime) -> None:
    Integration.objects.filter(pk=row.pk).update(repository=PUBLIC.full_name, repository_id=None)
    run_check(row, now)
    with pytest.raises(ActionRefused, match="isn't read with anyone's GitHub access"):
        change_repository_reader(row, actor=alice, now=now)
