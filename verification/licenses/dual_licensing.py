"""Sentences that offer a choice of two licenses."""

import re
from functools import cache

from verification.licenses.titles import OTHERS, TITLES, UNDER, VERB, WORK, compile_folded_pattern, fold_id

FILE = (
    r"(?: (?:see )?(?:in )?(?:the )?(?:file )?license (?:apache|mit|bsd|mpl|gpl|isc)(?: (?:txt|md))?(?: file)?)?"
    r"(?: (?:or )?http (?:www )?(?:apache org licenses license 2 0|opensource org licenses? [a-z0-9 ]{2,12}?))?"
)
OPTION = r"(?: at (?:your|the user s|the licensee s) (?:option|choice|discretion))?"


@cache
def build_patterns() -> tuple[re.Pattern[str], ...]:
    first, second = map(build_license_group, "ab")
    # Only these exact forms offer a choice. In any other sentence, every named license applies.
    either = rf"(?:either )?(?:of )?(?:the )?(?:terms of )?(?:the )?{first}{FILE} or (?:the )?{second}{FILE}"
    return tuple(
        map(
            compile_folded_pattern,
            (
                rf"{WORK}(?:(?:is|are) )?(?:dual )?{VERB}{UNDER}{either}(?: licenses?)?{OPTION}",
                rf"you may use (?:this|the) (?:software|project|library|code|work) {UNDER}{either}{OPTION}",
                # SPDX expressions may also contain AND and WITH, which offer no choice.
                rf"spdx license identifier {build_license_group('a')} or {build_license_group('b')}",
            ),
        )
    )


def build_license_group(side: str) -> str:
    """Return a pattern with a group for each license that a choice can name."""
    names = {id: (*TITLES.get(id, ()), *OTHERS.get(id, ()), fold_id(id)) for id in (*TITLES, *OTHERS)}
    groups = (f"(?P<{side}{n}>{'|'.join(patterns)})" for n, patterns in enumerate(names.values()))
    return f"(?:{'|'.join(groups)})(?: license)?"


def find_chosen_ids(match: re.Match[str]) -> tuple[str, ...]:
    """Return the SPDX IDs of both licenses in a match of one of the patterns."""
    ids = [*TITLES, *OTHERS]
    return tuple(ids[int(group[1:])] for group, value in match.groupdict().items() if value and group != "who")
