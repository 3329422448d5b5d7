"""Progress of long runs, on standard error."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
LINES = 10
MIN_ITEMS = 20  # shorter runs print nothing


def track(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Yield the items, and print how many of them are done at every tenth."""
    printed_lines = 0
    for number, item in enumerate(items, 1):
        yield item
        if total >= MIN_ITEMS and number * LINES // total > printed_lines:
            printed_lines = number * LINES // total
            print(f"{number:,} of {total:,} {label}", file=sys.stderr, flush=True)
