import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from integrations.programs.models import PublishedProvider
from integrations.submissions.models import Integration
from integrations.submissions.selectors.similar import Work, alike, behind, overlaps, overlaps_of, work_of
from integrations.submissions.services.transitions import perform
from tests.conftest import NOW, begin, drive

OTHER = {"repository": "globex/terraform-provider-scan", "repository_id": 99, "name": "Scan"}


@pytest.fixture
def mine(acme, alice):
    return begin(acme, alice, name="Rocket", repository="acme/terraform-provider-rocket", repository_id=4711)


def publish(full_name, tier="community", downloads=0, number=None):
    namespace, name = full_name.split("/")
    return PublishedProvider.objects.create(
        registry_id=number or full_name,
        full_name=full_name,
        namespace=namespace,
        name=name,
        tier=tier,
        downloads=downloads,
        source=f"https://github.com/{namespace}/terraform-provider-{name}",
        imported_at=NOW,
    )


def kinds(found):
    return [overlap.kind for overlap in found]


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"repository": "ACME/terraform-provider-rocket"}, "repository"),
        ({"repository": "acme/moved", "repository_id": 4711}, "repository"),
        ({"name": "ROCKET"}, "product"),
        ({"name": "Rocket Provider for Terraform"}, "name"),
        ({"name": "Rockets"}, "name"),
        ({"name": "Globex Cloud"}, None),
    ],
)
def test_others_work_is_found_by_kind(mine, globex, charlie, facts, kind):
    begin(globex, charlie, **(OTHER | facts))
    assert kinds(overlaps_of(mine)) == ([kind] if kind else [])


def test_unlisted_work_is_told_as_someone(mine, globex, charlie):
    begin(globex, charlie, **(OTHER | {"name": "Rocket", "description": "Secret plan of Globex"}))
    (found,) = overlaps_of(mine)
    assert found.words == "Someone is working on this: the same product."
    assert (found.listed, found.partner, found.title, found.provider, found.url) == (False, "", "", "", "")
    assert "globex" not in repr(found).lower()


def test_unlisted_work_is_never_counted(mine, globex, charlie):
    for number in range(3):
        begin(globex, charlie, **(OTHER | {"name": "Rocket", "repository_id": number}))
    assert kinds(overlaps_of(mine)) == ["product"]


def test_listed_work_is_told_by_name(mine, globex, charlie, rita):
    drive(begin(globex, charlie, **(OTHER | {"name": "Rocket"})), "support", partner=charlie, reviewer=rita)
    (found,) = overlaps_of(mine)
    assert (found.words, found.listed) == ("Globex has Rocket listed: the same product.", True)
    assert (found.partner, found.title) == ("Globex", "Rocket")


def test_own_work_is_no_overlap(mine, acme, bob):
    begin(acme, bob, name="Rocket")
    assert overlaps_of(mine) == ()


def test_work_that_ended_is_no_overlap(mine, globex, charlie):
    other = begin(globex, charlie, **(OTHER | {"name": "Rocket"}))
    perform(other, "withdraw", by=charlie, note="No longer.", now=NOW)
    assert overlaps_of(mine) == ()


def test_strongest_kind_is_told_once(mine, globex, charlie):
    begin(globex, charlie, **(OTHER | {"name": "Rocket", "repository": mine.repository}))
    assert kinds(overlaps_of(mine)) == ["repository"]


def test_published_providers_are_told_most_used_first(acme):
    for number, (name, tier) in enumerate(
        [("a/rocket", "community"), ("b/rocket", "partner"), ("c/rocket", "official")]
    ):
        publish(name, tier, downloads=number)
    publish("d/rocket", downloads=50)
    publish("e/rocketry")
    found = overlaps(Work(acme, "Rocket"))
    assert [(o.kind, o.provider) for o in found] == [
        ("product", "c/rocket"),
        ("product", "b/rocket"),
        ("product", "d/rocket"),
        ("product", ""),
        ("name", "e/rocketry"),
    ]
    assert found[0].words == "Published already: c/rocket in the registry, official, the same product."
    assert found[0].url == "https://registry.terraform.io/providers/c/rocket/latest"
    assert found[3].words == "And 1 more published provider: the same product."


def test_own_repository_is_found_as_published(acme):
    publish("acme/rocket", "partner")
    publish("acme/rocketeer")
    found = overlaps(Work(acme, "Something else", "Acme/terraform-provider-rocket"))
    assert [o.words for o in found] == ["This repository is published already: acme/rocket in the registry, partner."]


def test_company_name_and_common_words_do_not_hide_the_product(acme):
    publish("globex/rocket")
    assert kinds(overlaps(Work(acme, "Acme Rocket for Terraform"))) == ["product"]


def test_nothing_named_yet_finds_nothing(acme):
    publish("globex/rocket")
    assert overlaps(Work(acme, "")) == ()


def test_handle_leads_back_for_the_company_that_saw_it(mine, globex, charlie):
    other = begin(globex, charlie, **(OTHER | {"name": "Rocket"}))
    (found,) = overlaps_of(mine)
    assert behind(found.handle, work_of(mine)) == other
    assert behind("0" * 32, work_of(mine)) is None
    assert behind(found.handle, work_of(Integration.objects.get(pk=other.pk))) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("postgresql", "postgresq1", True),
        ("datadog", "datadoglogs", True),
        ("uptimerobot", "uptimerobots", True),
        ("rocket", "socket", False),
        ("aws", "awscc", False),
        ("datadog", "databricks", False),
    ],
)
def test_alike(one, other, expected):
    assert alike(one, other) == alike(other, one) == expected


def test_queries_do_not_grow_with_the_rows(mine, globex, charlie):
    def queries():
        with CaptureQueriesContext(connection) as asked:
            overlaps_of(mine)
        return len(asked)

    assert mine.partner  # read before it is counted
    before = queries()
    for number in range(30):
        publish(f"n{number}/rocket{number}")
        begin(globex, charlie, **(OTHER | {"name": f"Rocket {number}", "repository_id": number}))
    assert queries() == before <= 10
