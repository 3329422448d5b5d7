"""Tests of the classification of comments."""

import pytest

from integrations.sla.engine.comment_classifier import (
    build_fingerprint,
    has_question,
    has_request,
    has_statement,
    is_answer,
)


@pytest.mark.parametrize(
    "text",
    [
        "Fixed in 1.2.3.",
        "The issue happens because the token is refreshed automatically.",
        "Our automatic reply module is broken, fixed in 1.2.3.",
        "Looking into it",
        "Thanks for the report, we are looking into it.",
        "Confirmed",
        "Duplicate of #12",
        "https://github.com/acme/terraform-provider-acme/pull/12",
        "Use `insecure = true`",
        "```hcl\nretry = 3\n```",
        "```\nterraform init -upgrade\n```",
        "    terraform init -upgrade",
        "已在新版本修复",
        "Wir sehen es uns an.",
        "> It fails\n\nThat is the token.",
    ],
)
def test_reply_with_content_is_an_answer(text: str) -> None:
    assert is_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "This issue has been automatically marked as stale because it has not had recent activity.",
        "> It fails\n\nThis is an automated message. A maintainer will look at version 1.2 soon.",
        "Automatic reply: I am away until Monday and will read your mail then.",
        "**Auto-Response** Your report was forwarded to the engineering group.",
        "I'm out of office until May 4. Contact support@acme.example in urgent cases.",
        "",
        " \n",
        "+1",
        "👍",
        ":eyes:",
        "@pat",
        "Thanks!",
        "Hi, thank you very much for reporting this issue!",
        "bump",
        "any updates on this?",
        "> It fails with a token error",
        "/assign @dana",
        "<!-- looked at it -->",
        "<!-- never closed, so all of it is hidden",
        "![cat](https://example.com/cat.gif)",
        '<img src="https://example.com/cat.gif">',
        "...",
        "1",
        "👀 👀",
    ],
)
def test_courtesy_and_markup_are_not_an_answer(text: str) -> None:
    assert not is_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "Which version do you use?",
        "Thanks! Could you share the plan output?",
        "It works here. What does `terraform version` print?",
        "Does it fail with 1.2 too?\n\nWe cannot see it.",
        "**Which version do you use?**",
        "Thanks! (Which version do you use?)",
        "Does it also fail with https://github.com/acme/rocket/releases/tag/v1.2?",
        "您使用的是哪个版本？",
        "ما الإصدار الذي تستخدمه؟",
    ],
)
def test_question_is_recognized(text: str) -> None:
    assert has_question(text)
    assert has_request(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which version do you use?", False),
        ("**Which version do you use?**", False),
        ("Thanks! (Which version do you use?)", False),
        ("It is fixed in 1.2. (Does it work for you?)", True),
    ],
)
def test_statement_is_what_remains_without_questions(text: str, expected: bool) -> None:
    assert has_statement(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "?",
        "Why?",
        "Any updates on this?",
        "Is this still an issue?",
        "Is this still relevant for you?",
        "Does this still happen?",
        "See https://example.com/?q=which+version+is+it",
        "> Which version do you use?\n\n1.2.3",
        "`is it so, or not?`",
        "```\nwhich version is it?\n```",
        "<!-- which version do you use? -->",
        "We are looking into it.",
    ],
)
def test_text_without_a_real_question_is_recognized(text: str) -> None:
    assert not has_question(text)


@pytest.mark.parametrize(
    ("text", "is_request"),
    [
        ("Please attach the whole log file.", True),
        ("We need the output of the plan.", True),
        ("Let us know which version it is.", True),
        ("Please!", False),
        ("We have found the cause.", False),
    ],
)
def test_request_is_recognized(text: str, is_request: bool) -> None:
    assert has_request(text) is is_request


def test_fingerprint_ignores_formatting_and_quotes() -> None:
    assert (
        build_fingerprint("@pat **Which** version, then?")
        == build_fingerprint("> so\n\nwhich VERSION then")
        == "which version then"
    )


# bin/bench limits measures these: a regular expression that backtracks would take minutes
HOSTILE_COMMENTS = (
    "a" * 60_000,
    "<!--" * 9_000,
    "`" * 20_000,
    "?\n" * 20_000,
    "![" * 20_000,
    "<a" * 20_000,
    "\n" * 60_000,
    "![](" * 15_000,
    "<img " * 13_000,
    "<" + "a" * 60_000,
)


@pytest.mark.parametrize("text", HOSTILE_COMMENTS, ids=range(len(HOSTILE_COMMENTS)))
def test_hostile_comment_contains_no_request(text: str) -> None:
    assert not has_request(text)
