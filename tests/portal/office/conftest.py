"""What do these tests begin with? No forecast that another test left behind."""

from collections.abc import Iterator

import pytest

from portal.office import waiting


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    waiting.forget()
    yield
    waiting.forget()
