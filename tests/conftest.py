"""Shared fixtures: people, companies, and integrations in any stage."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import md5
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.core.cache import cache as django_cache
from django.test import override_settings
from hypothesis import HealthCheck, settings
from pytest_django.plugin import blocking_manager_key

from integrations.partners.models import Membership, Partner, VerificationMethod, VerificationState
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import creation, requirements
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from portal.notifications import delivery
from tests import replay
from tests.replay import build_or_replay
from tests.suites import FIGURE_PROPERTY, write_at_once

# a busy machine must not fail a test
settings.register_profile("portal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("portal")
pytest_plugins = ["tests.memory", "tests.fakes.plugin", "tests.servers.broker", "tests.template_database"]

NOW = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)  # a Tuesday
PASSWORD = "correct horse battery"
HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "live_server", "client"})


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database-only", action="store_true", help="run only the tests that use a database")
    parser.addoption("--list-database-files", metavar="FILE", help="write the files that --database-only needs to FILE")


@pytest.hookimpl(trylast=True)  # after -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Write the files of --list-database-files, and deselect tests for --database-only."""
    if name := config.getoption("--list-database-files"):
        files = {str(item.path) for item in items if _depends_on_database(item)}
        write_at_once(Path(name), "\n".join(sorted(files)))  # each worker does, and PostgreSQL's suite may be reading
    if not config.getoption("--database-only"):
        return
    config.hook.pytest_deselected(items=[item for item in items if not _depends_on_database(item)])
    items[:] = [item for item in items if _depends_on_database(item)]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures that tests recorded, such as the number of generated requests."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == FIGURE_PROPERTY:
                terminalreporter.write_line(f"{report.nodeid.rpartition('::')[2]}: {value}")


def _depends_on_database(item: pytest.Item) -> bool:
    is_exempt = item.get_closest_marker("any_database") and not item.get_closest_marker("every_database")
    return _touches_database(item) and not is_exempt


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin the journal of a test that uses a database, so that its set-up can be replayed."""
    if not _touches_database(item):
        replay.end_journal()
        return
    with item.config.stash[blocking_manager_key].unblock():
        replay.begin_journal()


def _touches_database(item: pytest.Item) -> bool:
    is_marked = any(item.get_closest_marker(name) for name in ("django_db", "postgres"))
    return is_marked or not DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session", autouse=True)
def common_settings() -> Iterator[None]:
    """Set what all tests share: a fast hasher, a cache of this process, and static files that are found on demand."""
    with override_settings(
        PASSWORD_HASHERS=HASHERS,
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        WHITENOISE_AUTOREFRESH=True,  # otherwise, each test client scans all static files
    ):
        yield


@pytest.fixture(autouse=True)
def isolate_files_and_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give each test its own uploads and anchors, and an empty cache, so that rate limits don't affect other tests."""
    folder = tmp_path_factory.getbasetemp() / uuid4().hex  # created by the first file; most tests write none
    with override_settings(MEDIA_ROOT=folder / "uploads", AUDIT_ANCHOR_DIR=folder / "audit-anchors"):
        django_cache.clear()
        delivery.close_connection()
        yield


@cache
def hash_password() -> str:
    return make_password(PASSWORD, hasher="md5")


def create_user(email: str, name: str, **fields: Any) -> User:
    user = User.objects.create(email=email, name=name, password=hash_password(), date_joined=NOW, **fields)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def create_partner(name: str, domain: str, state: VerificationState = VerificationState.VERIFIED) -> Partner:
    """A company, verified unless another state is given."""
    partner = Partner.objects.create(
        name=name,
        slug=name.lower(),
        domain=domain,
        created_at=NOW,
        verification_state=state,
        verification_token=md5(name.encode()).hexdigest(),  # with a random one, nothing could be replayed
    )
    if state == VerificationState.VERIFIED:
        partner.verifications.create(method=VerificationMethod.DECISION, verified_at=NOW)
    return partner


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def acme(db: None) -> Partner:
    return create_partner("Acme", "acme.example")


@pytest.fixture
def globex(db: None) -> Partner:
    return create_partner("Globex", "globex.example")


@pytest.fixture
def alice(acme: Partner) -> User:
    """Owner of Acme."""
    user = create_user("alice@acme.example", "Alice Archer")
    Membership.objects.create(partner=acme, user=user, role="owner", joined_at=NOW)
    return user


@pytest.fixture
def bob(acme: Partner) -> User:
    """Editor of Acme."""
    user = create_user("bob@acme.example", "Bob Baker")
    Membership.objects.create(partner=acme, user=user, role="editor", joined_at=NOW)
    return user


@pytest.fixture
def charlie(globex: Partner) -> User:
    """Owner of Globex."""
    user = create_user("charlie@globex.example", "Charlie Cole")
    Membership.objects.create(partner=globex, user=user, role="owner", joined_at=NOW)
    return user


@pytest.fixture
def rita(db: None) -> User:
    """A reviewer."""
    user = create_user("rita@program.example", "Rita Reyes", is_reviewer=True)
    ReviewerProfile.objects.create(user=user)
    return user


@pytest.fixture
def rob(db: None) -> User:
    """A second reviewer."""
    user = create_user("rob@program.example", "Rob Roth", is_reviewer=True)
    ReviewerProfile.objects.create(user=user)
    return user


@pytest.fixture
def sam(db: None) -> User:
    """Staff member, who can use the admin pages but makes no decisions."""
    return create_user("sam@program.example", "Sam Stone", is_staff=True, is_superuser=True)


def note_sign_in(client: Any, user: User) -> None:
    """Record the time of the sign-in in the session, as the sign-in page does."""
    session = client.session
    record_authentication(SimpleNamespace(session=session), user, "password")
    session.save()


@pytest.fixture
def sign_in(client: Any) -> Callable[[User], Any]:
    """Sign a person in to the test client, and return the client."""

    def sign_in_to_client(user: User) -> Any:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        note_sign_in(client, user)
        return client

    return sign_in_to_client


FACTS = {
    "name": "Rocket",
    "description": "Launches rockets.",
    "offerings": ["Open Source"],
    "repository": "acme/terraform-provider-rocket",
    "repository_id": 4711,
    "repository_owner_id": 47,
    "homepage": "https://acme.example/rocket",
}


def create_integration(
    partner: Partner, by: User, program: str = "nomad", now: datetime = NOW, **facts: Any
) -> Integration:
    """Create an integration at the first step of its program."""

    def build() -> int:
        return creation.create_integration(partner, program, FACTS | facts, actor=by, now=now).pk

    return Integration.objects.get(pk=build_or_replay(("create", partner.pk, by.pk, program, now, facts), build))


def fulfill_requirements(row: Integration, by: User | None, now: datetime, *, position: int | None = None) -> None:
    """Fulfill every requirement that blocks the next step, as its responsible party."""
    fresh = Integration.objects.get(pk=row.pk)
    target = fresh.position + 1 if position is None else position
    for requirement in context.list_missing_at(fresh, target, now):
        if requirement.responsible_party == "portal":
            requirements.record_check_outcome(
                fresh, requirement.id, outcome=Status.PASS, summary="Looks good.", detail=[], retry_at=None, now=now
            )
        else:
            requirements.submit_answer(fresh, requirement.id, {"met": "in a test"}, actor=None, now=now)


def advance_to_stage(
    row: Integration, stage: str, *, partner: User, reviewer: User, now: datetime = NOW
) -> Integration:
    """Take an integration through the steps of its program until it is in the stage."""
    key = ("advance", row.pk, stage, partner.pk, reviewer.pk, now)
    return Integration.objects.get(pk=build_or_replay(key, lambda: _take_steps(row, stage, partner, reviewer, now)))


def _take_steps(row: Integration, stage: str, partner: User, reviewer: User, now: datetime) -> int:
    for _ in range(12):
        row = Integration.objects.get(pk=row.pk)
        if row.stage == stage:
            return row.pk
        fulfill_requirements(row, partner, now)
        row = Integration.objects.get(pk=row.pk)
        if row.stage == "review":
            perform_transition(row, "approve", actor=reviewer, now=now)
        elif row.stage == "release":
            now += timedelta(minutes=11)
            perform_transition(row, "publish", actor=reviewer, now=now)
        else:
            is_review_next = row.next_position[1] == "review"
            perform_transition(row, "submit_for_review" if is_review_next else "complete_step", actor=partner, now=now)
    raise AssertionError(f"{row} did not reach the stage {stage}")


@pytest.fixture
def edition_2026(settings: Any) -> None:
    """Put the upcoming editions of the Terraform programs in force."""
    settings.PROGRAM_EDITIONS = {"terraform-provider": "2026-06", "terraform-run-task": "2026-06"}


@pytest.fixture
def rocket(acme: Partner, alice: User) -> Integration:
    """Acme's integration at the first step of the Nomad program."""
    return create_integration(acme, alice)


@pytest.fixture
def integration_at(acme: Partner, alice: User, rita: User) -> Callable[..., Integration]:
    """Acme's integration in a stage: integration_at("review"), integration_at("support", program="vault")."""

    def reach(stage: str, program: str = "nomad", **facts: Any) -> Integration:
        return advance_to_stage(create_integration(acme, alice, program, **facts), stage, partner=alice, reviewer=rita)

    return reach
