"""Users and objects for tests of pages.

They are created once per module, in a transaction around those of its tests. Each test gets a copy of the objects, and
its changes are rolled back.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from integrations.partners.models import Membership, Partner
from integrations.reviews.models import ReviewerProfile
from tests.conftest import NOW, create_partner, create_user
from tests.portal import sample_objects
from tests.portal.crawl import Crawl, read_or_crawl
from tests.replay import build_or_share

Process = subprocess.CompletedProcess[str]
ROOT = Path(__file__).resolve().parents[2]
TEAMS = (
    ("alice", "Alice Archer", "acme", "owner"),
    ("bob", "Bob Baker", "acme", "editor"),
    ("vera", "Vera Voss", "acme", "viewer"),
    ("charlie", "Charlie Cole", "globex", "owner"),
)
# their roles are limited to Vault; the integrations of Acme are in other programs
PROGRAM_PEOPLE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("vic", "Vic Vance", {"is_reviewer": True, "program_roles": ["reviewer:vault"]}),
    ("mona", "Mona Marsh", {"program_roles": ["manager:vault"]}),
    ("audrey", "Audrey Ash", {"is_auditor": True}),
)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all processes of a run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="module")
def build_once(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any, run_folder: Path
) -> Iterator[Callable[[Callable[[], Any]], dict[str, Any]]]:
    """Return a function that builds the objects of a module's tests in a transaction around theirs.

    One process of a run builds them. The others repeat its statements and write the same files.
    """
    folder = tmp_path_factory.mktemp("uploads")
    outer_transaction = transaction.atomic()

    def build(create: Callable[[], Any]) -> dict[str, Any]:
        with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=folder):
            key = (create.__module__, create.__qualname__)
            objects, uploads = build_or_share(run_folder, key, lambda: (create() or {}, read_files(folder)))
            write_files(folder, uploads)
            return {**objects, "folder": folder}

    with django_db_blocker.unblock():
        outer_transaction.__enter__()
    yield build
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        outer_transaction.__exit__(None, None, None)


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.fixture(scope="module")
def shared_world(build_once: Any) -> dict[str, Any]:
    """Return one object of each kind by name, with the users and the folder of uploads."""
    world: dict[str, Any] = build_once(create_world)
    return world


def create_world() -> dict[str, Any]:
    acme = create_partner("Acme", "acme.example")
    globex = create_partner("Globex", "globex.example")
    return sample_objects.create_objects(acme, globex, create_users(acme, globex))


def create_users(acme: Partner, globex: Partner) -> dict[str, Any]:
    """Create the users. Return them by name, with None for the visitor."""
    users: dict[str, Any] = {"anonymous": None}
    for key, name, team, role in TEAMS:
        partner = acme if team == "acme" else globex
        users[key] = create_user(f"{key}@{partner.domain}", name)
        Membership.objects.create(partner=partner, user=users[key], role=role, joined_at=NOW)
    for key, name in (("rita", "Rita Reyes"), ("rob", "Rob Roth")):
        users[key] = create_user(f"{key}@program.example", name, is_reviewer=True)
        ReviewerProfile.objects.create(user=users[key])
    users["sam"] = create_user("sam@program.example", "Sam Stone", is_staff=True, is_superuser=True)
    for key, name, roles in PROGRAM_PEOPLE:
        users[key] = create_user(f"{key}@program.example", name, **roles)
    return users


@pytest.fixture
def world(shared_world: dict[str, Any], db: None, settings: Any) -> dict[str, Any]:
    """Return this test's copy of one object of each kind, by name."""
    settings.MEDIA_ROOT = shared_world["folder"]
    return deepcopy(shared_world)


@pytest.fixture
def users(world: dict[str, Any]) -> dict[str, Any]:
    """Return the users by name, with None for the visitor."""
    users_by_name: dict[str, Any] = world["users"]
    return users_by_name


@pytest.fixture
def crawl(run_folder: Path, world: dict[str, Any], settings: Any) -> Callable[[str], Crawl]:
    """Return a function that crawls a portal with a mail server. Without one, the email log is public."""
    settings.EMAIL_LOG_PUBLIC = False
    return lambda role: read_or_crawl(run_folder, role, world)


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., Process]:
    """Return a function that runs Python with only the given settings in the environment."""

    def run(*arguments: str, **settings: str) -> Process:
        environment = {"PATH": os.environ["PATH"], "PORTAL_DATA": str(tmp_path / "data"), **settings}
        return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture
def manage(run_python: Callable[..., Process]) -> Callable[..., Process]:
    return lambda *arguments, **settings: run_python("manage.py", *arguments, **settings)


@pytest.fixture
def import_settings(run_python: Callable[..., Process]) -> Callable[..., Process]:
    """Return a function that runs a statement with the settings, which is three times as fast as a command."""
    return lambda code="", **settings: run_python("-c", f"from portal import settings; {code}", **settings)
