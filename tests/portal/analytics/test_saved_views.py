"""Tests of saved views: their users, and filters that no longer exist."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup

from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from portal.core.errors import ActionRefused
from tests.conftest import create_user
from tests.portal.api.client import add_second_factor, create_api_client

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]


def save_view(client: Any, page: str, query: str, name: str, **more: str) -> Any:
    return client.post(f"/saved-views/save/{page}/", {"query": query, "name": name, **more})


def list_view_links(answer: Any) -> list[tuple[str, str]]:
    links = BeautifulSoup(answer.content, "html.parser").select("nav.saved a")
    return [(link.get_text(), str(link["href"])) for link in links]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("program=nomad&page=3&x=1", "program=nomad"),
        ("stage=review&program=nomad&stage=", "program=nomad"),
        ("tab=mine&age=7&program=&evil=%3Cscript%3E", "tab=mine&age=7"),
        ("next=//evil.example&program=a%00b", "program=ab"),
        ("", ""),
    ],
)
def test_query_keeps_known_filters_in_a_fixed_order(query: str, expected: str) -> None:
    assert services.normalize_query(services.PAGES["queue"], query) == expected


def test_view_is_shown_on_its_list_to_its_owner_only(sign_in: SignIn, rita: Any, rob: Any) -> None:
    client = sign_in(rita)
    answer = save_view(client, "queue", "program=nomad&page=2", "My Nomad")
    assert (answer.status_code, answer["Location"]) == (302, "/queue/?program=nomad")
    assert ("My Nomad", "/queue/?program=nomad") in list_view_links(client.get("/queue/"))
    assert "My Nomad" not in str(list_view_links(sign_in(rob).get("/queue/")))


@pytest.mark.every_database
def test_shared_view_is_shown_to_all_program_staff(sign_in: SignIn, rita: Any, rob: Any, alice: Any) -> None:
    save_view(sign_in(rita), "integrations", "stage=review", "In review", shared="on")
    assert ("In review", "/integrations/?stage=review") in list_view_links(sign_in(rob).get("/integrations/"))
    client = sign_in(alice)
    assert "In review" not in str(list_view_links(client.get("/integrations/")))
    save_view(client, "integrations", "stage=review", "Ours", shared="on")
    assert SavedView.objects.get(name="Ours").owner == alice


def test_view_of_a_removed_list_is_not_found(sign_in: SignIn, rita: Any, now: datetime) -> None:
    view = SavedView.objects.create(owner=rita, page="removed", name="Old", saved_at=now)
    client = sign_in(rita)
    assert client.post(f"/saved-views/{view.pk}/", {"action": "default"}).status_code == 404
    assert "Old" not in client.get("/saved-views/").content.decode()


def test_list_opens_with_the_default_view_and_can_show_everything(sign_in: SignIn, rita: Any) -> None:
    client = sign_in(rita)
    save_view(client, "queue", "program=nomad", "My Nomad")
    view = SavedView.objects.get()
    client.post(f"/saved-views/{view.pk}/", {"action": "default"})
    answer = client.get("/queue/")
    assert (answer.status_code, answer["Location"]) == (302, "/queue/?program=nomad")
    assert client.get("/queue/?view=all").status_code == 200
    assert client.get("/queue/", headers={"referer": "http://testserver/queue/?program=nomad"}).status_code == 200
    client.post(f"/saved-views/{view.pk}/", {"action": "clear_default"})
    assert client.get("/queue/").status_code == 200


@pytest.mark.every_database
def test_view_is_renamed_and_deleted_by_its_users_only(sign_in: SignIn, rita: Any, rob: Any) -> None:
    save_view(sign_in(rita), "queue", "age=7", "Old")
    view = SavedView.objects.get()
    assert sign_in(rob).post(f"/saved-views/{view.pk}/", {"action": "delete"}).status_code == 404
    client = sign_in(rita)
    client.post(f"/saved-views/{view.pk}/", {"action": "rename", f"view-{view.pk}-name": "A week old"})
    assert "A week old" in client.get("/saved-views/").content.decode()
    answer = client.post(f"/saved-views/{view.pk}/", {"action": "rename", f"view-{view.pk}-name": ""})
    assert answer.status_code == 422
    client.post(f"/saved-views/{view.pk}/", {"action": "delete"})
    assert not SavedView.objects.exists()


def test_deletion_names_the_view_and_who_loses_it(sign_in: SignIn, rita: Any) -> None:
    client = sign_in(rita)
    save_view(client, "queue", "age=7", "Mine")
    page = client.get("/saved-views/").text
    assert ("Delete view: Mine" in page, "all program staff" in page) == (True, False)
    save_view(client, "queue", "age=3", "Ours", shared="on")
    page = client.get("/saved-views/").text
    assert ("Delete view: Ours" in page, page.count("all program staff")) == (True, 1)


def test_auditor_cannot_rename_or_delete_a_shared_view(sign_in: SignIn, rita: Any) -> None:
    save_view(sign_in(rita), "queue", "age=7", "Old", shared="on")
    view = SavedView.objects.get()
    auditor = create_user("ada@program.example", "Ada", is_auditor=True)
    client = sign_in(auditor)
    page = client.get("/saved-views/").content.decode()
    assert ("Old" in page, "Delete view" in page) == (True, False)
    client.post(f"/saved-views/{view.pk}/", {"action": "delete"})
    client.post(f"/saved-views/{view.pk}/", {"action": "rename", f"view-{view.pk}-name": "Mine"})
    api = create_api_client(add_second_factor(auditor))
    assert [
        api.patch(f"/saved-views/{view.pk}", {"name": "Mine"}).status_code,
        api.send("DELETE", f"/saved-views/{view.pk}").status_code,
    ] == [403, 403]
    assert SavedView.objects.get().name == "Old"


@pytest.mark.every_database
def test_taken_name_is_a_field_error(sign_in: SignIn, rita: Any) -> None:
    client = sign_in(rita)
    save_view(client, "queue", "age=7", "Mine")
    answer = save_view(client, "queue", "age=3", "Mine")
    assert answer.status_code == 422
    assert "A view named “Mine” already exists" in answer.content.decode()
    assert 'value="Mine"' in answer.content.decode()


def test_renaming_a_view_that_was_deleted_meanwhile_is_refused(rita: Any, now: datetime) -> None:
    view = services.save_view(rita, "queue", "Old", "age=7", shared=True, now=now)
    SavedView.objects.all().delete()
    with pytest.raises(ActionRefused, match="deleted"):
        services.rename_view(view, "New", rita)
    assert not SavedView.objects.exists()


def test_renaming_a_view_keeps_a_later_default(rita: Any, now: datetime) -> None:
    first, second = [
        services.save_view(rita, "queue", name, "age=7", shared=False, now=now) for name in ("First", "Second")
    ]
    services.set_default(first, rita, on=True)
    first.refresh_from_db()
    services.set_default(second, rita, on=True)
    services.rename_view(first, "Renamed", rita)
    assert list(SavedView.objects.values_list("name", "is_default")) == [("Renamed", False), ("Second", True)]


def test_view_with_filters_that_are_too_long_is_refused(sign_in: SignIn, rita: Any) -> None:
    client = sign_in(rita)
    query = f"q={'%E4%BC%9A' * 60}"
    answer = save_view(client, "partners", query, "Companies")
    assert answer.status_code == 422
    assert "Shorten the search text, then save the view." in answer.text


def test_view_of_an_inaccessible_list_cannot_be_saved(sign_in: SignIn, alice: Any) -> None:
    client = sign_in(alice)
    for page in ("queue", "emails", "overview", "nonsense"):
        assert save_view(client, page, "", "X")["Location"] == "/saved-views/"
    assert not SavedView.objects.exists()


def test_filter_that_no_longer_exists_is_reported(sign_in: SignIn, rita: Any, now: Any) -> None:
    SavedView.objects.create(
        owner=rita, page="queue", name="Old", query="program=cobol&color=red", saved_by=rita, saved_at=now
    )
    client = sign_in(rita)
    assert "no longer exist: color: red, program: cobol" in client.get("/saved-views/").content.decode()
    (_, href), *_ = [link for link in list_view_links(client.get("/queue/?view=all")) if link[0] == "Old"]
    assert href == "/queue/?program=cobol"
    page = client.get(href)
    assert page.status_code == 200
    assert "no longer exist and are ignored: color: red, program: cobol" in page.content.decode()
