"""Tests of usage errors of commands."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest
from django.core.management import CommandError

from portal.core.cli import parse_positive_number, read_text_file


def test_read_text_file_returns_the_text_without_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("\ufeff{}", "utf-8")
    assert (read_text_file(path, 5), read_text_file(None, 5)) == ("{}", "")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"x" * 2001, "The file {path} is larger than 2 kB."), (b"\xff", "Cannot read {path}: it is not UTF-8 text.")],
)
def test_read_text_file_that_is_unusable_is_a_usage_error(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(CommandError) as error:
        read_text_file(path, 2000)
    assert (str(error.value), error.value.returncode) == (message.format(path=path), 2)


def test_read_text_file_that_is_missing_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with pytest.raises(CommandError) as error:
        read_text_file(path, 2000)
    assert (str(error.value), error.value.returncode) == (f"Cannot read {path}: No such file or directory.", 2)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "x", ""])
def test_parse_positive_number_refuses_what_is_no_interval(text: str) -> None:
    with pytest.raises(ArgumentTypeError) as error:
        parse_positive_number(text)
    assert str(error.value) == f"Enter a number greater than 0, not “{text}”."


def test_parse_positive_number_accepts_fractions() -> None:
    assert parse_positive_number("0.5") == 0.5
