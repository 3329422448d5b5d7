"""Tests of mentions: who is notified of a text that names them, who isn't, and what the author learns."""

from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.messages import get_messages
from django.urls import reverse

from integrations.partners.models import Membership
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors.people import assign_handles, find_mentions, list_participants
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from portal.notifications.preferences import save_preferences
from tests.conftest import NOW, advance_to_stage, create_integration, create_user

pytestmark = pytest.mark.any_database

MINUTE = timedelta(minutes=1)


@pytest.fixture
def rocket(acme: Any, alice: Any, bob: Any, rita: Any, rob: Any, charlie: Any) -> Integration:
    """Acme's integration in review by Rita, which starts without emails."""
    row = advance_to_stage(create_integration(acme, alice), "review", partner=alice, reviewer=rita)
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    EmailMessage.objects.all().delete()
    return Integration.objects.get(pk=row.pk)


def list_emails() -> list[tuple[str, str]]:
    return sorted(EmailMessage.objects.values_list("to", "name"))


def list_messages(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def post_message(client: Any, integration: Integration, body: str, **fields: str) -> list[str]:
    url = reverse("reviews:post_message", args=[integration.uuid])
    return list_messages(client.post(url, {"body": body} | fields))


def test_mentioned_colleague_and_reviewer_are_notified_once(rocket: Integration, sign_in: Any, alice: Any) -> None:
    messages = post_message(sign_in(alice), rocket, "@bob-baker and @Rita-Reyes, please look. @rita-reyes")
    assert messages == ["We notified Bob Baker, Rita Reyes."]
    assert list_emails() == [("bob@acme.example", "mention"), ("rita@program.example", "mention")]
    event = AuditEvent.objects.get(event_type="message.mentioned")
    assert (event.summary, event.note, event.internal) == ("Alice Archer mentioned Bob Baker, Rita Reyes", "", False)


def test_others_are_notified_of_the_message(rocket: Integration, sign_in: Any, rita: Any) -> None:
    post_message(sign_in(rita), rocket, "@bob-baker, is this yours?")
    assert list_emails() == [("alice@acme.example", "message"), ("bob@acme.example", "mention")]


def test_email_contains_the_markdown_as_text(rocket: Integration, alice: Any) -> None:
    findings.post_message(rocket, "**Hello** @rob-roth <b>[x](https://a.example)", actor=alice, now=NOW)
    email = EmailMessage.objects.get(to="rob@program.example")
    assert email.subject == "Alice Archer mentioned you: Rocket"
    assert "> **Hello** @rob-roth <b>[x](https://a.example)\n" in email.text
    assert ">**Hello** @rob-roth &lt;b&gt;[x](https://a.example)</p>" in email.html
    assert "because Alice Archer mentioned you" in email.text
    assert f"/integrations/{rocket.uuid}/review/#thread" in email.text


@pytest.mark.every_database
@pytest.mark.parametrize(
    "name", ["charlie-cole", "nobody", "Charlie", "fay-fox", "ina-ide"], ids=lambda name: f"mention of {name}"
)
def test_people_without_access_are_not_notified(
    rocket: Integration, acme: Any, sign_in: Any, alice: Any, name: str
) -> None:
    former = create_user("fay@acme.example", "Fay Fox")
    Membership.objects.create(partner=acme, user=former, role="editor", joined_at=NOW, ended_at=NOW)
    inactive = create_user("ina@acme.example", "Ina Ide", is_active=False)
    Membership.objects.create(partner=acme, user=inactive, role="editor", joined_at=NOW)
    messages = post_message(sign_in(alice), rocket, f"Hello @{name}.")
    assert messages == [f"We notified no one for @{name}: no one who can read this text has this name."]
    assert list_emails() == [("rita@program.example", "message")]
    assert not AuditEvent.objects.filter(event_type="message.mentioned").exists()


def test_note_mentions_program_staff_only(rocket: Integration, sign_in: Any, rita: Any, alice: Any) -> None:
    messages = post_message(sign_in(rita), rocket, "@rob-roth: @alice-archer is slow.", internal="on")
    assert messages == [
        "We notified Rob Roth.",
        "We notified no one for @alice-archer: no one who can read this text has this name.",
    ]
    assert list_emails() == [("rob@program.example", "mention")]
    assert AuditEvent.objects.get(event_type="message.mentioned").internal
    page = sign_in(alice).get(reverse("submissions:history", args=[rocket.uuid]))
    assert "Rob Roth" not in page.text


def test_finding_mentions_staff_until_it_is_sent(rocket: Integration, sign_in: Any, rita: Any) -> None:
    requirement = rocket.edition.list_requirements()[0].id
    fields = {"requirement": requirement, "severity": "blocking", "text": "@alice-archer or @rob-roth?"}
    response = sign_in(rita).post(reverse("reviews:raise_finding", args=[rocket.uuid]), fields)
    assert list_messages(response)[0] == "We notified Rob Roth."
    assert list_emails() == [("rob@program.example", "mention")]
    assert "review/#finding-1" in EmailMessage.objects.get().text


@pytest.mark.every_database
def test_response_mentions_the_reviewer(rocket: Integration, sign_in: Any, alice: Any, rita: Any) -> None:
    finding = findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "Fix it.", actor=rita, now=NOW)
    perform_transition(rocket, "request_changes", actor=rita, now=NOW)
    EmailMessage.objects.all().delete()
    url = reverse("reviews:answer_finding", args=[finding.pk])
    response = sign_in(alice).post(url, {"answer": "Done, @rita-reyes."})
    assert list_messages(response) == ["You responded to finding 1.", "We notified Rita Reyes."]
    assert list_emails() == [("rita@program.example", "mention")]
    assert Finding.objects.get().answer == "Done, @rita-reyes."


def test_reason_for_reopening_reports_whom_it_notified(
    rocket: Integration, sign_in: Any, alice: Any, rita: Any
) -> None:
    finding = findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "Fix it.", actor=rita, now=NOW)
    perform_transition(rocket, "request_changes", actor=rita, now=NOW)
    findings.answer_finding(finding, "Done.", actor=alice, now=NOW)
    url = reverse("reviews:reopen_finding", args=[finding.pk])
    response = sign_in(rita).post(url, {"text": "Not yet, @bob-baker and @nobody."})
    assert list_messages(response) == [
        "We notified Bob Baker.",
        "We notified no one for @nobody: no one who can read this text has this name.",
    ]


def test_reason_for_reopening_a_hidden_finding_notifies_no_partner(
    rocket: Integration, sign_in: Any, rita: Any
) -> None:
    finding = findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "Fix it.", actor=rita, now=NOW)
    findings.verify_finding(finding, actor=rita, now=NOW)
    url = reverse("reviews:reopen_finding", args=[finding.pk])
    preview = sign_in(rita).post(url, {"text": "Not yet, @bob-baker.", "preview": "text"})
    assert preview.context["preview"]["mentions"].people == ()
    assert list_messages(sign_in(rita).post(url, {"text": "Not yet, @bob-baker."})) == [
        "We notified no one for @bob-baker: no one who can read this text has this name."
    ]


def test_mention_follows_the_preference_for_messages(rocket: Integration, alice: Any, rob: Any) -> None:
    save_preferences(rob, {"messages": "portal"})
    findings.post_message(rocket, "@rob-roth", actor=alice, now=NOW)
    email = EmailMessage.objects.get(to="rob@program.example")
    assert (email.name, email.state) == ("mention", EmailMessage.State.IN_APP_ONLY)


@pytest.mark.parametrize(
    ("text", "people", "unknown"),
    [
        ("@alice-archer", [], ()),
        ("Mail bob@bob-baker.example or read a/@bob-baker", [], ()),
        ("`@bob-baker` [@bob-baker](https://a.example)", [], ()),
        ("(@bob-baker), @bob-baker's", ["Bob Baker"], ()),
        ("@BOB-BAKER.", ["Bob Baker"], ()),
        ("@bob", [], ("@bob",)),
        ("@ @- @_", [], ()),
    ],
)
def test_text_mentions_whole_names(
    rocket: Integration, alice: Any, text: str, people: list[str], unknown: tuple[str, ...]
) -> None:
    mentions = find_mentions(rocket, text, author=alice)
    assert ([str(user) for user in mentions.people], mentions.unknown) == (people, unknown)


@pytest.mark.every_database
def test_handles_are_unique_and_simple(rocket: Integration, acme: Any) -> None:
    people = [
        create_user("one@acme.example", "José Núñez"),
        create_user("two@acme.example", "Jose Nunez"),
        create_user("three@acme.example", ""),
        create_user("four@acme.example", "山田 太郎"),
    ]
    for each in people:
        Membership.objects.create(partner=acme, user=each, role="viewer", joined_at=NOW)
    handles = {
        who.user.email.partition("@")[0]: handle for handle, who in assign_handles(list_participants(rocket)).items()
    }
    one, two, *_ = people
    assert handles == {
        "alice": "alice-archer",
        "bob": "bob-baker",
        "one": f"jose-nunez-{one.pk}",
        "two": f"jose-nunez-{two.pk}",
        "three": "three",
        "four": "山田-太郎",
        "rita": "rita-reyes",
        "rob": "rob-roth",
    }


def test_number_of_a_handle_is_no_name_of_someone_else_and_stays(rocket: Integration, acme: Any, alice: Any) -> None:
    first = create_user("one@acme.example", "Anna")
    second = create_user("two@program.example", "Anna", is_reviewer=True)
    third = create_user("three@acme.example", f"Anna {first.pk}")
    for each in (third, first):
        Membership.objects.create(partner=acme, user=each, role="viewer", joined_at=NOW)
    people = {handle: who.user for handle, who in assign_handles(list_participants(rocket)).items()}
    expected = {
        f"anna-{first.pk}-{first.pk}": first,
        f"anna-{second.pk}": second,
        f"anna-{first.pk}": third,
    }
    assert {handle: user for handle, user in people.items() if handle.startswith("anna")} == expected
    text = " ".join(f"@{handle}" for handle in expected)
    assert find_mentions(rocket, text, author=alice).people == (first, second, third)


def test_pages_name_the_people_concerned(rocket: Integration, sign_in: Any, alice: Any, rita: Any) -> None:
    page = sign_in(alice).get(reverse("submissions:detail", args=[rocket.uuid]))
    assert page.context["handles"] == ["@bob-baker", "@rita-reyes"]
    page = sign_in(rita).get(reverse("reviews:review", args=[rocket.uuid]))
    assert page.context["handles"] == ["@alice-archer", "@bob-baker"]


def test_preview_shows_text_and_mentions(rocket: Integration, sign_in: Any, alice: Any) -> None:
    url = reverse("submissions:preview_text", args=[rocket.uuid])
    body = "**Hello** @bob-baker @nobody"
    response = sign_in(alice).post(url, {"preview": "body", "body": body}, headers={"HX-Request": "true"})
    words = " ".join(response.text.split())
    assert words == (
        '<p class="muted">Preview</p> <div class="entry-body prose"> <p><strong>Hello</strong> @bob-baker @nobody</p> '
        "</div> "
        '<p class="muted">We notify Bob Baker.</p> <p class="muted">We notify no one for @nobody: no one who can '
        "read this text has this name.</p>"
    )
    assert list_emails() == []


NAMES = ["post_message", "raise_finding", "edit_finding", "answer_finding", "reply_to_finding", "reopen_finding"]


@pytest.mark.parametrize("name", NAMES)
def test_preview_without_scripts_keeps_the_text_and_saves_nothing(
    rocket: Integration, sign_in: Any, alice: Any, rita: Any, name: str
) -> None:
    finding = findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "Fix it.", actor=rita, now=NOW)
    if name != "edit_finding":
        perform_transition(rocket, "request_changes", actor=rita, now=NOW + MINUTE)
    before = AuditEvent.objects.count()
    user, field, argument = {
        "post_message": (alice, "body", rocket.uuid),
        "raise_finding": (rita, "text", rocket.uuid),
        "edit_finding": (rita, "text", finding.pk),
        "answer_finding": (alice, "answer", finding.pk),
        "reply_to_finding": (alice, "text", finding.pk),
        "reopen_finding": (rita, "text", finding.pk),
    }[name]
    fields = {"preview": field, field: "*Hello*", "requirement": finding.requirement_id}
    response = sign_in(user).post(reverse(f"reviews:{name}", args=[argument]), fields)
    assert (response.status_code, AuditEvent.objects.count()) == (200, before)
    assert response.text.count("<p><em>Hello</em></p>") == 1
    assert response.text.count(">\n*Hello*</textarea>") == 1
    assert '<input type="hidden" name="preview"' not in response.text


def test_every_long_text_of_the_pages_has_a_preview(rocket: Integration, sign_in: Any, alice: Any, rita: Any) -> None:
    findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "Fix it.", actor=rita, now=NOW)
    responses = [sign_in(rita).get(reverse("reviews:review", args=[rocket.uuid]))]
    perform_transition(rocket, "request_changes", actor=rita, now=NOW + MINUTE)
    responses.append(sign_in(rita).get(reverse("reviews:review", args=[rocket.uuid])))
    responses.append(sign_in(alice).get(reverse("submissions:detail", args=[rocket.uuid])))
    forms = [BeautifulSoup(each.content, "html.parser").select("form:has(textarea)") for each in responses]
    assert [[len(form.select("button[name=preview]")) for form in page] for page in forms] == [
        [1, 1],
        [1, 1],
        [1, 1, 1],
    ]


def test_timeline_and_findings_are_rendered(rocket: Integration, sign_in: Any, alice: Any, rita: Any) -> None:
    findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "*Finding*", actor=rita, now=NOW)
    perform_transition(rocket, "request_changes", actor=rita, note="*Note*", now=NOW)
    findings.answer_finding(Finding.objects.get(), "*Answer*", actor=alice, now=NOW)
    findings.post_message(rocket, "*Message* <script>", actor=alice, now=NOW)
    pages = [
        sign_in(alice).get(reverse("submissions:detail", args=[rocket.uuid])).text,
        sign_in(rita).get(reverse("reviews:review", args=[rocket.uuid])).text,
    ]
    texts = ("<em>Finding</em>", "<em>Note</em>", "<em>Answer</em>", "<em>Message</em> &lt;script&gt;")
    assert [[page.count(text) for text in texts] for page in pages] == [[1, 1, 2, 1], [1, 0, 1, 1]]
