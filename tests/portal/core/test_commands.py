"""Tests of the help texts of the portal's commands, and of their end without a database."""

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator
from typing import Any

from portal.core.generated_docs import iterate_own_commands

# Replacements of Django's commands, with Django's arguments.
DJANGO_COMMANDS = frozenset({"changepassword", "createsuperuser", "makemessages"})


def list_arguments(parser: ArgumentParser) -> Iterator[Action]:
    """Yield the arguments of a parser and of its subcommands, without those of every command."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for subparser in action.choices.values():
                yield from list_arguments(subparser)
        else:
            yield action


def test_every_argument_has_a_help_text() -> None:
    arguments = [
        (name, "/".join(action.option_strings) or action.dest, action.help)
        for name, command in iterate_own_commands()
        if name not in DJANGO_COMMANDS
        for action in list_arguments(command.create_parser("manage.py", name))
    ]
    assert [(name, argument) for name, argument, help_text in arguments if not help_text] == []


def test_every_command_has_a_help_text_in_sentences() -> None:
    assert [name for name, command in iterate_own_commands() if not command.help.endswith(".")] == []


def test_command_without_tables_prints_how_to_create_them(manage: Callable[..., Any]) -> None:
    process = manage("rebuild_search")
    assert (process.returncode, process.stdout, process.stderr) == (
        2,
        "",
        "Database error: no such table: search_searchentry. Check DATABASE_URL, or PORTAL_DATA of an embedded portal. "
        "If tables are missing, run “manage.py migrate”. --traceback shows the details.\n",
    )
    assert manage("rebuild_search", "--traceback").stderr.startswith("Traceback (most recent call last):\n")
