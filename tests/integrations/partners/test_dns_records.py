"""Tests of TXT record lookups."""

import pytest

from integrations.partners.dns_records import fetch_txt_records


@pytest.mark.parametrize("name", [".".join(["a" * 60] * 5), f"{'a' * 64}.example", "a..example"])
def test_impossible_name_has_no_records(name: str) -> None:
    assert fetch_txt_records(name) == []
