"""Tests of the form of a draft, and of what GitHub fills in."""

import pytest
from django.http import QueryDict

from integrations.submissions.forms.drafts import bind_form, get_naming_hint, merge_form_data, merge_repository_data
from tests.integrations.submissions.draft_input import DATA, EDITION, PROGRAM


def get_errors(**changes):
    return bind_form(PROGRAM, EDITION, DATA | changes).errors.get_json_data()


def get_error(field, **changes):
    (error,) = get_errors(**changes)[field]
    return error["message"]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", "", "Enter a name."),
        ("name", "x" * 81, "Enter 80 characters or fewer. You entered 81."),
        ("name", "Roc\u202eket", "Character 4 is invisible (U+202E). Delete it, or type the text again."),
        ("name", "Roc\u2028ket", "Character 4 is invisible (U+2028). Delete it, or type the text again."),
        ("description", "Roc\x00ket", "Character 4 is invisible (U+0000). Delete it, or type the text again."),
        ("description", "x" * 2001, "Enter 2000 characters or fewer. You entered 2001."),
        ("category", "gardening", "Unknown category. Select another one."),
        ("offerings", [], "Select at least one option."),
        ("offerings", ["Gardens"], "Unknown product. Select from the list."),
        (
            "repository_address",
            "https://gitlab.com/acme/rocket",
            "Enter a repository on github.com, such as https://github.com/owner/name.",
        ),
        ("repository_address", "", "Enter the repository URL."),
        ("homepage", "not an address", "Enter a complete URL, such as https://docs.example.com/page."),
        ("homepage", "ftp://acme.example/rocket", "The URL must start with https:// or http://."),
    ],
)
def test_invalid_field_says_what_to_do(field, value, expected):
    assert get_error(field, **{field: value}) == expected


def test_valid_form_returns_its_values():
    form = bind_form(PROGRAM, EDITION, DATA)
    assert form.is_valid()
    assert form.get_values(DATA | {"repository": "acme/terraform-provider-rocket", "repository_id": 7}) == {
        **{key: DATA[key] for key in ("name", "description", "category", "offerings", "homepage")},
        "repository": "acme/terraform-provider-rocket",
        "repository_id": 7,
        "repository_owner_id": None,
    }


def test_ids_of_another_repository_are_omitted():
    form = bind_form(PROGRAM, EDITION, DATA)
    assert form.is_valid()
    assert form.get_values(DATA | {"repository": "acme/other", "repository_id": 7})["repository_id"] is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("terraform-provider-rocket", ""),
        (
            "rocket",
            "The program requires a repository named terraform-provider-NAME, in lowercase. "
            "This repository is named rocket.",
        ),
    ],
)
def test_wrong_repository_name_gets_a_hint_and_is_accepted(name, expected):
    address = f"https://github.com/acme/{name}"
    assert get_naming_hint(PROGRAM, address) == expected
    assert get_errors(repository_address=address) == {}


def build_post_data(**fields):
    post_data = QueryDict(mutable=True)
    for key, value in fields.items():
        post_data.setlist(key, value if isinstance(value, list) else [value])
    return post_data


def test_edited_field_is_no_longer_prefilled():
    before = DATA | {"prefilled": ["name", "description"], "license": "MPL-2.0"}
    after = merge_form_data(build_post_data(**DATA | {"name": "Rockets"}), before)
    assert (after["prefilled"], after["license"]) == (["description"], "MPL-2.0")


def test_another_repository_discards_the_prefilled_data():
    before = DATA | {"prefilled": ["name", "license"], "license": "MPL-2.0", "repository_id": 7, "prefill_note": "x"}
    after = merge_form_data(build_post_data(**DATA | {"repository_address": "acme/other"}), before)
    assert {"license", "repository_id", "prefill_note"} & set(after) == set()
    assert after["prefilled"] == ["name"]


def test_submission_without_ticked_boxes_unticks_all():
    fields = {key: value for key, value in DATA.items() if key != "offerings"}
    assert merge_form_data(build_post_data(**fields), DATA)["offerings"] == []


def test_draft_omits_long_and_refused_text():
    assert merge_form_data(build_post_data(name="Ro\x00cket" + "x" * 30_000), {})["name"] == (
        "Ro\x00cket" + "x" * 30_000
    )[:20_000].replace("\x00", "")


ANSWERS = {
    "name": "From GitHub",
    "description": "Theirs",
    "homepage": "",
    "license": "MPL-2.0",
    "latest_release": "",
    "repository": "acme/rocket",
    "repository_id": 1,
    "repository_owner_id": 2,
    "note": "",
}


def test_github_never_overwrites_what_was_entered():
    after = merge_repository_data({"name": "Mine"}, ANSWERS)
    assert (after["name"], after["description"]) == ("Mine", "Theirs")
    assert after["prefilled"] == ["description", "license"]


def test_outage_of_github_keeps_what_it_filled():
    before = merge_repository_data({}, ANSWERS)
    unanswered = {"repository_id": None, "repository_owner_id": None, "note": "GitHub doesn't answer."}
    assert merge_repository_data(before, unanswered) == before | {"prefill_note": "GitHub doesn't answer."}


def test_value_of_the_previous_repository_does_not_stay():
    before = merge_repository_data({}, ANSWERS | {"homepage": "https://acme.example/"})
    after = merge_repository_data(before, ANSWERS)
    assert (after["homepage"], after["prefilled"]) == ("", ["name", "description", "license"])
