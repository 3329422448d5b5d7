"""Tests that scripts use the reader's language, with English from the table of messages."""

import json
import re
from html import unescape
from typing import Any

import pytest

from portal.ui.script_messages import MESSAGES, script_messages
from tests.codebase.project_files import ROOT
from tests.portal import pseudo_language
from tests.portal.page_urls import build_url
from tests.portal.rollback_requests import create_client, send_request

SCRIPT = ROOT / "static" / "js" / "portal.js"
MESSAGE_LINE = re.compile(r'^  (\w+): ("[^"]*"),$', re.MULTILINE)


def read_script_messages() -> dict[str, str]:
    table = SCRIPT.read_text("utf-8").partition("const MESSAGES = {")[2].partition("};")[0]
    return {key: json.loads(words) for key, words in MESSAGE_LINE.findall(table)}


def test_script_contains_the_messages_of_the_table() -> None:
    assert read_script_messages() == MESSAGES


def test_script_uses_every_message() -> None:
    rest = SCRIPT.read_text("utf-8").partition("};")[2]
    assert [key for key in MESSAGES if f"MESSAGES.{key}" not in rest and f'formatMessage("{key}"' not in rest] == []


def test_page_in_english_contains_no_messages() -> None:
    assert script_messages() == ""


@pytest.mark.any_database
def test_page_in_another_language_contains_all_messages(users: Any, world: Any) -> None:
    with pseudo_language.activate_pseudo_language():
        page = send_request(create_client(users["alice"]), build_url("dashboard:home", world))[1]
    match = re.search(r'<html\s[^>]*data-messages="([^"]*)"', page)
    assert match is not None
    assert json.loads(unescape(match[1])) == {key: f"⟦{words}⟧" for key, words in MESSAGES.items()}
