"""Objects of each kind that all contain the word "zephyr"."""

from typing import Any

import pytest

from integrations.partners.models import Membership
from integrations.programs.models import RegistryProvider
from integrations.submissions.models import Finding, Integration
from portal.search.indexing import rebuild
from tests.conftest import NOW, advance_to_stage, create_integration, create_user
from tests.integrations.sla.rows import create_issue_row, create_repository_row
from tests.replay import replay_fixture


def add_finding(row: Integration, text: str, number: int = 1) -> Finding:
    return row.findings.create(number=number, round=row.review_round, requirement_id="NO-3", text=text, raised_at=NOW)


@pytest.fixture
def provider(db: None) -> RegistryProvider:
    return RegistryProvider.objects.create(
        registry_id="1",
        full_name="clouds/zephyr",
        namespace="clouds",
        name="zephyr",
        tier="community",
        source="https://github.com/clouds/terraform-provider-zephyr",
        imported_at=NOW,
    )


@pytest.fixture
@replay_fixture
def zephyr(acme: Any, alice: Any, rita: Any, provider: RegistryProvider) -> Integration:
    """Acme's integration in review with a hidden finding, an issue, a repository, and a member."""
    acme.website = "https://zephyr.example"
    acme.save()
    Membership.objects.create(
        partner=acme, user=create_user("zed@acme.example", "Zephyr Zane"), role="viewer", joined_at=NOW
    )
    row = create_integration(acme, alice, name="Zephyr", repository="acme/zephyr")
    row = advance_to_stage(row, "review", partner=alice, reviewer=rita)
    add_finding(row, "Describe zephyr mode.")
    issue = create_issue_row(create_repository_row(row, NOW), 12, NOW)
    issue.title = "zephyr crashes"
    issue.save()
    issue.events.create(key="opened", kind="opened", at=NOW, seen_at=NOW, source="poll")
    rebuild()
    return row
