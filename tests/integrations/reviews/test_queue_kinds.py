"""Tests of decisions besides reviews as items of the queue: disputes, companies, appeals, and stale listings."""

import csv
import io
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest
from bs4 import BeautifulSoup
from django.conf import settings

from integrations.partners.models import Membership, Partner
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.sla.models import LabelPolicy, MonitoredRepository, SupportIssue, SupportIssueEvent
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import waivers
from portal.accounts.models import User
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.compliance.transitions import perform_and_reload
from tests.integrations.reviews.conftest import create_integration_in_review
from tests.integrations.reviews.queue_page import get_figures, get_row_text, list_names
from tests.integrations.sla.rows import create_issue_row
from tests.portal.api.client import add_second_factor, create_api_client
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database

SignIn = Any
DAY = timedelta(days=1)


def create_listed_integration(partner: Partner, by: User, reviewer: User, now: datetime, name: str) -> Integration:
    row = create_integration(
        partner, by, "terraform-provider", now, name=name, repository=f"acme/terraform-provider-{name.lower()}"
    )
    return advance_to_stage(row, "support", partner=by, reviewer=reviewer, now=now)


@pytest.fixture
@replay_fixture
def item_of_each_kind(acme: Partner, globex: Partner, alice: User, rita: User, rob: User, frozen_now: datetime) -> None:
    """One item of each kind, in the order of the default sorting: with a due date first."""
    create_integration_in_review(acme, alice, rita, frozen_now - DAY, name="Reviewed")
    appealed = create_listed_integration(acme, alice, rita, frozen_now - 3 * DAY, "Appealed")
    perform_and_reload(
        perform_and_reload(appealed, "issue_notice", rob, frozen_now - 2 * DAY), "appeal", alice, frozen_now - DAY
    )
    supported = create_listed_integration(acme, alice, rita, frozen_now - 3 * DAY, "Supported")
    RequirementFulfillment.objects.exclude(integration=supported).update(valid_until=None)
    stale = RequirementFulfillment.objects.filter(integration=supported).order_by("pk")[:2].values("pk")
    RequirementFulfillment.objects.filter(pk__in=list(stale.values_list("pk", flat=True))).update(
        valid_until=frozen_now - 2 * DAY
    )
    issue = create_issue_row(MonitoredRepository.objects.get(integration=supported), 7, frozen_now - 3 * DAY)
    opening = {"key": "opened", "kind": "opened", "at": issue.opened_at, "seen_at": frozen_now, "source": "poll"}
    SupportIssueEvent.objects.create(issue=issue, actor_id=5, actor="reporter", actor_type="User", **opening)
    SupportIssue.objects.filter(pk=issue.pk).update(disputed="severity", disputed_at=frozen_now - DAY)
    Partner.objects.filter(pk=globex.pk).update(verification_state="needs_decision")


def read_tabs(response: Any, label: str) -> dict[str, tuple[str, int]]:
    """Return URL and count of the tabs with a label."""
    page = BeautifulSoup(response.content, "html.parser")
    tabs = page.select(f'nav[aria-label="{label}"] a')
    return {str(tab.contents[0]).strip(): (str(tab["href"]), int(tab.select_one(".count").text)) for tab in tabs}  # type: ignore[union-attr]


def test_each_decision_is_one_line(item_of_each_kind: None, rita: User, sign_in: SignIn) -> None:
    response = sign_in(rita).get("/queue/")
    assert sorted(list_names(response)) == ["Appealed", "Globex", "It breaks 7", "Reviewed", "Supported"]
    assert get_row_text(response, "Appealed").startswith(
        "Not viewed yet Appealed Acme appeal Appeal Terraform provider"
    )
    assert get_row_text(response, "It breaks 7").startswith("It breaks 7 Acme Decide on the severity Dispute Terraform")
    assert "acme/terraform-provider-supported#7" in get_row_text(response, "It breaks 7")
    assert get_row_text(response, "Globex").startswith(
        "Globex Needs a decision Decide on the partner Partner globex.example"
    )
    assert "Check results are out of date Stale listing" in get_row_text(response, "Supported")
    assert get_row_text(response, "Supported").endswith("2 d No due date")
    assert get_figures(response).startswith("0 overdue · 0 due today · 5 open")


def test_item_links_to_the_page_where_it_is_decided(item_of_each_kind: None, rita: User, sign_in: SignIn) -> None:
    client = sign_in(rita)
    page = BeautifulSoup(client.get("/queue/").content, "html.parser")
    links_by_name = {link.text: str(link["href"]) for link in page.select("td.main a")}
    uuids = {row.name: row.uuid for row in Integration.objects.all()}
    assert links_by_name == {
        "Appealed": f"/integrations/{uuids['Appealed']}/review/",
        "Globex": "/companies/globex/",
        "It breaks 7": f"/issues/{SupportIssue.objects.get().uuid}/dispute/",
        "Reviewed": f"/integrations/{uuids['Reviewed']}/review/",
        "Supported": f"/integrations/{uuids['Supported']}/review/",
    }
    assert {client.get(link).status_code for link in links_by_name.values()} == {200}


@pytest.mark.parametrize(
    "query", ["", "program=terraform-provider", "tab=free", "age=1", "stage=support", "responsible_party=any"]
)
def test_counts_equal_the_lists(item_of_each_kind: None, rita: User, sign_in: SignIn, query: str) -> None:
    client = sign_in(rita)
    for label in ("Type", "Queue views"):
        for href, count in read_tabs(client.get(f"/queue/?{query}"), label).values():
            assert (href, len(list_names(client.get(f"/queue/{href}")))) == (href, count)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kind=dispute", ["It breaks 7"]),
        ("kind=partner&program=nomad", []),
        ("kind=stale&age=3", []),
        ("kind=appeal&tab=free", ["Appealed"]),
        ("kind=nothing&sort=-name", ["Supported", "Reviewed", "It breaks 7", "Globex", "Appealed"]),
        ("sort=age", ["Supported", "Reviewed", "Appealed", "It breaks 7", "Globex"]),
        ("responsible_party=partner", []),
    ],
)
def test_kind_is_a_filter_and_columns_sort_all_kinds(
    item_of_each_kind: None, rita: User, sign_in: SignIn, query: str, expected: list[str]
) -> None:
    assert list_names(sign_in(rita).get(f"/queue/?{query}")) == expected


def test_stale_listing_is_one_item_with_any_responsible_party(
    item_of_each_kind: None, rita: User, sign_in: SignIn
) -> None:
    client = sign_in(rita)
    Integration.objects.filter(name="Supported").update(action_due_at="2020-01-01T00:00Z")  # of the partner
    assert "Supported" not in list_names(client.get("/queue/?responsible_party=any&tab=overdue"))
    assert list_names(client.get("/queue/?responsible_party=any")).count("Supported") == 1
    assert "Supported" not in list_names(client.get("/queue/?responsible_party=any&kind=review"))


def test_proposed_label_policy_is_an_item_until_it_is_decided(
    item_of_each_kind: None, alice: User, rita: User, sam: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    supported = Integration.objects.get(name="Supported")
    policy = LabelPolicy.objects.create(
        integration=supported, critical_labels=["sev-0"], proposed_by=alice, proposed_at=frozen_now - DAY
    )
    response = sign_in(rita).get("/queue/?kind=label_policy")
    assert list_names(response) == ["Supported"]
    assert "Decide on the proposed label policy Label policy Terraform" in get_row_text(response, "Supported")
    (link,) = BeautifulSoup(response.content, "html.parser").select("td.main a")
    assert link["href"] == f"/integrations/{supported.uuid}/label-policy/"
    assert list_names(sign_in(sam).get("/queue/?kind=label_policy")) == []
    LabelPolicy.objects.filter(pk=policy.pk).update(state=LabelPolicy.State.DECLINED)
    assert list_names(sign_in(rita).get("/queue/?kind=label_policy")) == []
    LabelPolicy.objects.filter(pk=policy.pk).update(state=LabelPolicy.State.PROPOSED)
    Integration.objects.filter(pk=supported.pk).update(stage="archived", responsible_party="")
    assert list_names(sign_in(rita).get("/queue/?kind=label_policy")) == []


def test_only_people_who_can_decide_see_decisions(
    item_of_each_kind: None, acme: Partner, rita: User, rob: User, sam: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    assert sorted(list_names(sign_in(sam).get("/queue/"))) == ["Appealed", "Reviewed"]
    assert list_names(sign_in(rob).get("/queue/?kind=appeal")) == []  # Rob issued the notice
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:nomad"])
    assert sorted(list_names(sign_in(User.objects.get(pk=rob.pk)).get("/queue/"))) == ["Appealed", "Reviewed"]
    Membership.objects.create(partner=acme, user=rita, role="editor", joined_at=frozen_now)
    assert sorted(list_names(sign_in(User.objects.get(pk=rita.pk)).get("/queue/"))) == [
        "Appealed",
        "Globex",
        "Reviewed",
    ]


def test_company_replaces_the_integrations_that_wait_for_it(
    item_of_each_kind: None, rita: User, sign_in: SignIn
) -> None:
    Integration.objects.filter(name="Reviewed").update(next_action_code="decide_on_partner")
    assert "Reviewed" not in list_names(sign_in(rita).get("/queue/"))


def test_waived_result_does_not_make_a_listing_stale(
    item_of_each_kind: None, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    RequirementFulfillment.objects.update(waiver_expires_at=frozen_now + DAY)
    assert list_names(sign_in(rita).get("/queue/?kind=stale")) == []


def test_waiver_of_a_result_that_is_too_old_is_an_item(
    acme: Partner, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = create_integration_in_review(acme, alice, rita, frozen_now - 3 * DAY, category="storage")
    result = RequirementFulfillment.objects.filter(integration=row, requirement_id="NO-LIC")
    result.update(valid_until=frozen_now - DAY)
    waivers.request_waiver(row, "NO-LIC", reason="GitHub is down.", actor=alice, now=frozen_now)
    assert list_names(sign_in(rita).get("/queue/?kind=waiver")) == ["Rocket"]
    result.update(valid_until=frozen_now + DAY)
    assert list_names(sign_in(rita).get("/queue/?kind=waiver&tab=all")) == []


def test_decisions_have_no_bulk_actions(item_of_each_kind: None, rita: User, sign_in: SignIn) -> None:
    page = BeautifulSoup(sign_in(rita).get("/queue/").content, "html.parser")
    uuids = {str(box["value"]) for box in page.select("input[name=row]")}
    assert uuids == {str(row.uuid) for row in Integration.objects.all()}


def test_export_has_the_same_items(item_of_each_kind: None, rita: User, sign_in: SignIn) -> None:
    response = sign_in(rita).get("/exports/queue.csv?sort=name")
    text = b"".join(response.streaming_content).decode("utf-8-sig")
    rows = [(row["kind"], row["item"], row["reasons"]) for row in csv.DictReader(io.StringIO(text))]
    assert rows == [
        ("appeal", "Appealed", "appeal"),
        ("partner", "Globex", "Decide on the partner"),
        ("dispute", "It breaks 7", "Decide on the severity"),
        ("review", "Reviewed", "new review"),
        ("stale", "Supported", "Check results are out of date"),
    ]


@pytest.mark.parametrize("count", [60, 160])
def test_mixed_list_takes_as_many_queries_for_many_items(
    item_of_each_kind: None,
    rita: User,
    sign_in: SignIn,
    frozen_now: datetime,
    count: int,
    django_assert_num_queries: Any,
) -> None:
    Partner.objects.bulk_create(
        Partner(
            name=f"Company {n}",
            skeleton=f"company{n}",
            name_key=f"company {n:04}",
            slug=f"company-{n}",
            created_at=frozen_now,
            verification_state="needs_decision",
        )
        for n in range(count)
    )
    client = sign_in(rita)
    # session, person, memberships, last event, figures, items, reviewers, views, unread
    with django_assert_num_queries(9):
        assert len(list_names(client.get("/queue/"))) == 50
    listed = [
        name for page in range(1, count // 50 + 2) for name in list_names(client.get(f"/queue/?page={page}&sort=name"))
    ]
    assert (len(listed), len(set(listed))) == (count + 5, count + 5)


@pytest.mark.parametrize(
    "query",
    ["", "program=terraform-provider", "tab=free", "age=1", "stage=support", "responsible_party=any", "kind=dispute"],
)
def test_api_has_the_items_and_counts_of_the_page(
    item_of_each_kind: None, rita: User, sign_in: SignIn, query: str
) -> None:
    client = sign_in(rita)
    api = create_api_client(add_second_factor(rita))
    response = client.get(f"/queue/?{query}")
    data = api.get(f"/queue?{query}").json()
    hrefs = [str(link["href"]) for link in BeautifulSoup(response.content, "html.parser").select("td.main a")]
    assert [(item["name"], item["href"]) for item in data["items"]] == [
        (name, f"{settings.SITE_URL}{href}") for name, href in zip(list_names(response), hrefs, strict=True)
    ]
    kind = parse_qs(query).get("kind", [""])[0]
    tab = parse_qs(query).get("tab", ["all"])[0]
    counts = {kind: counts[tab] for kind, counts in data["counts"].items()}
    labels = {str(KINDS[key].label): count for key, count in counts.items()}
    page_counts = {label: count for label, (_href, count) in read_tabs(response, "Type").items()}
    assert {"All types": sum(counts.values())} | labels == page_counts
    assert len(data["items"]) == (counts[kind] if kind else sum(counts.values()))


def test_api_pages_have_each_item_once(item_of_each_kind: None, rita: User) -> None:
    api = create_api_client(add_second_factor(rita))
    names_by_page = []
    path = "/queue?limit=1"
    while path:
        data = api.get(path).json()
        names_by_page.append([item["name"] for item in data["items"]])
        path = f"/queue?limit=1&after={data['next']}" if data["next"] else ""
    assert names_by_page == [[item["name"]] for item in api.get("/queue").json()["items"]]


def test_api_item_has_its_integration_or_none(item_of_each_kind: None, rita: User) -> None:
    items = {item["kind"]: item for item in create_api_client(add_second_factor(rita)).get("/queue").json()["items"]}
    assert {kind: bool(item["integration"]) for kind, item in items.items()} == {
        "review": True,
        "appeal": True,
        "stale": True,
        "dispute": False,
        "partner": False,
    }
    assert items["dispute"]["reasons"] == ["Decide on the severity"]


def test_api_names_each_kind(rita: User) -> None:
    api = create_api_client(add_second_factor(rita))
    assert {kind: api.get(f"/queue?kind={kind}").status_code for kind in [*KINDS, "other"]} == {
        **dict.fromkeys(KINDS, 200),
        "other": 422,
    }
