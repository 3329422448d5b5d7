"""Titles, sentences, and tags that name a license, and sentences that offer a choice of two.

Patterns match folded text: lowercase words separated by single spaces, without punctuation.
"""

import re
from functools import cache
from pathlib import Path

from portal.core.content_files import Content, load_content
from verification.licenses.lexicon import load_lines

VERSION = "(?: version| ver| v)? v?"
LATER = "(?: or (?:any )?later(?: version)?)?"
PatternsById = dict[str, tuple[str, ...]]


class TitleFile(Content):
    """Content of titles.yaml: patterns and names by SPDX ID."""

    patterns: PatternsById
    names: PatternsById
    places: PatternsById
    others: PatternsById


TITLE_FILE = load_content(Path(__file__).with_name("data") / "titles.yaml", TitleFile)


def expand_patterns(section: PatternsById) -> PatternsById:
    """Return the patterns of a section of the data file without placeholders."""
    return {
        id: tuple(pattern.replace("{version}", VERSION).replace("{later}", LATER) for pattern in patterns)
        for id, patterns in section.items()
    }


TITLES, PLACES, OTHERS = map(expand_patterns, (TITLE_FILE.patterns, TITLE_FILE.places, TITLE_FILE.others))
# Each name is also a title on its own. The longest comes first, so that no shorter one matches a part of it.
NAMES = {
    id: tuple(" ".join(re.findall(r"[a-z0-9]+", name.lower())) for name in reversed(names))
    for id, names in TITLE_FILE.names.items()
}
for _id, _names in NAMES.items():
    TITLES[_id] += _names
BSD = "(?:original |the )?bsd(?: style)?(?: license)?"
# A title such as "BSD license" names no number of clauses. The text below it decides.
for _id in ("BSD-2-Clause", "BSD-3-Clause"):
    TITLES[_id] += (BSD, f"software license agreement {BSD}")
PLAIN = (
    r"(?:the )?(?:open source |software |project )*(?:license agreement|license information|license text|license|"
    r"licensing|licenses|copying|copyright (?:and license|notice and license|notice)|"
    r"(?:creative commons )?legal code|preamble|the end|terms and conditions|notice)"
)
THINGS = (
    "project|software|repository|repo|provider|plugin|package|library|code|source code|work|program|product|module|"
    "tool|extension|application|app|framework|integration"
)
BLANK_FORM = (
    r"copyright (?:c )?(?:year|yyyy|xxxx|[0-9]{4})(?: [0-9]{4})? "
    r"(?:(?:the )?copyright holders?|owner|name of (?:the )?copyright owner|"
    r"copyright owner|fullname|full name|name|name of author|name of organization|author)"
)
BE = "(?:is|are|has been|may be) "
# The subject must be a name: "this" and other words would begin a sentence of terms.
OWN = r"(?!(?:this|the|all|our|it|is|are|has|in|everything|licensed|released|distributed|available|under) )[^ ]+"
WORK = (
    rf"(?:(?:the )?(?P<who>(?!(?:{THINGS}) (?:is|are|has) ){OWN}(?: {OWN}){{0,5}}) (?:is|are|has been) |"
    rf"everything in this (?:{THINGS}) is |"
    rf"(?:(?:this|the|our) (?:(?:entire|whole|open source|terraform|source) )*(?:{THINGS})"
    rf"(?: and (?:its|the|all|any)?(?: associated)? ?(?:source code|documentation|contents))?|it|"
    rf"(?:all )?(?:the )?(?:source )?(?:code|contents?) (?:in|of) this (?:project|repository|repo)) {BE}?|"
    rf"(?:this|the) (?:{THINGS}) {BE}(?:a )?(?:free|open source) (?:software )?(?:and )?)?"
)  # "Snippets are licensed under …" is about a part, so it is none of these
VERB = (
    r"(?:hereby )?(?:(?:open source|free|open sourced) software )?"
    r"(?:made )?(?:freely )?"
    r"(?:(?:licensed|released|distributed|distributable|available|provided|published|covered|used) )?"
)
UNDER = r"(?:under|with|by) (?:the )?(?:terms (?:and conditions )?of (?:the )?)?(?:following )?"
SEE = (
    r"(?:(?: please)? (?:see|read|refer to)(?: the)? (?:accompanying |included |below |file )?(?:license|copying)"
    r"(?: txt| md)?(?: file)?(?: for (?:more )?(?:details|information|the full (?:license )?text))?"
    r"| (?:see|reproduced|as|given|quoted|shown|printed)(?: below| follows| shown below)?| below| which reads)?"
)
CREDITS = (
    r"(?:please )?(?:see|listed in|listed at|in)(?: the)? (?:authors|contributors|credits|maintainers|history)"
    r"(?: (?:rst|md|txt))?(?: file)?"
    r"(?: for (?:more )?(?:information|details|(?:a|the) (?:full |complete )?list"
    r"(?: of (?:all )?(?:authors|contributors|names))?))?"
)


def compile_folded_pattern(pattern: str) -> re.Pattern[str]:
    """Return the pattern for folded text, which ends at the end of a word."""
    return re.compile(rf"(?:{pattern})(?= |$)")


def build_title_pattern(ids: tuple[str, ...]) -> str:
    names = "|".join(f"(?:{name})" for id in ids for name in TITLES.get(id, ()))
    license = "|".join(load_lines("license_words"))
    return rf"(?:the |(?:{license}) )?(?:{names})(?: (?:{license}))?(?: agreement)?"


def fold_id(id: str) -> str:
    """Return an SPDX ID as folded text."""
    return re.sub(r"[^a-z0-9]+", " ", id.lower())


WHOLE = (
    rf"(?:(?:all (?:of )?(?:the )?(?:files|code|source code|contents?) (?:in|of)|the (?:whole|entire)(?: of)?) )?"
    rf"(?:this |the )?(?:{THINGS})"
)
FULL_TEXT = (
    r"(?:the )?(?:full |complete )?(?:license )?text (?:of (?:the|this) license )?"
    r"(?:follows|is (?:given |included )?below)(?: below)?"
)


@cache
def build_mention_patterns(ids: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return patterns that only name the licenses of these IDs: titles, sentences, tags, and URLs."""
    always = (PLAIN, CREDITS, BLANK_FORM, FULL_TEXT, "all rights? reserved")
    # A title may only name licenses whose text is in the file.
    if not ids:
        return tuple(map(compile_folded_pattern, always))
    name = build_title_pattern(ids)
    spdx_ids = "|".join(fold_id(id) for id in ids)
    names = "|".join(name for id in ids for name in NAMES.get(id, ())) or name
    known_places = (place for id in ids for place in PLACES.get(id, ()))
    places = "|".join([rf"spdx org licenses (?:{spdx_ids})(?: html)?", *known_places])
    where = rf"(?: http (?:{places}))?"
    patterns = (
        *always,
        rf"spdx license identifier (?:{spdx_ids})",
        rf"(?:(?:software )?license )?(?:{name}|(?:the )?(?:{spdx_ids})(?: license)?){where}",
        rf"(?:license )?(?:the )?(?:{names})",
        rf"software license agreement {name}",
        rf"(?:{name}|the following license|this license) (?:applies to|covers) {WHOLE}",
        rf"(?:this is|this project uses) (?:the )?(?:standard )?{name}{where}(?: license)?",
        rf"{WORK}{VERB}{UNDER}{name}{where}(?: {name})?{SEE}",
        rf"(?:http )?(?:{places})",
        rf"for (?P<who>{OWN}(?: {OWN}){{0,2}}) software",
    )
    return tuple(map(compile_folded_pattern, patterns))


FILE = (
    r"(?: (?:see )?(?:in )?(?:the )?(?:file )?license (?:apache|mit|bsd|mpl|gpl|isc)(?: (?:txt|md))?(?: file)?)?"
    r"(?: (?:or )?http (?:www )?(?:apache org licenses license 2 0|opensource org licenses? [a-z0-9 ]{2,12}?))?"
)
OPTION = r"(?: at (?:your|the user s|the licensee s) (?:option|choice|discretion))?"


@cache
def build_choice_patterns() -> tuple[re.Pattern[str], ...]:
    first, second = map(build_license_group, "ab")
    # Only these exact forms offer a choice. In any other sentence, every named license applies.
    either = rf"(?:either )?(?:of )?(?:the )?(?:terms of )?(?:the )?{first}{FILE} or (?:the )?{second}{FILE}"
    patterns = (
        rf"{WORK}(?:(?:is|are) )?(?:dual )?{VERB}{UNDER}{either}(?: licenses?)?{OPTION}",
        rf"you may use (?:this|the) (?:software|project|library|code|work) {UNDER}{either}{OPTION}",
        # SPDX expressions may also contain AND and WITH, which offer no choice.
        rf"spdx license identifier {first} or {second}",
    )
    return tuple(map(compile_folded_pattern, patterns))


def build_license_group(side: str) -> str:
    """Return a pattern with a group for each license that a choice can name."""
    names = {id: (*TITLES.get(id, ()), *OTHERS.get(id, ()), fold_id(id)) for id in (*TITLES, *OTHERS)}
    groups = (f"(?P<{side}{n}>{'|'.join(patterns)})" for n, patterns in enumerate(names.values()))
    return f"(?:{'|'.join(groups)})(?: license)?"


def find_chosen_ids(match: re.Match[str]) -> tuple[str, ...]:
    """Return the SPDX IDs of both licenses in a match of one of the patterns."""
    ids = [*TITLES, *OTHERS]
    return tuple(ids[int(group[1:])] for group, value in match.groupdict().items() if value and group != "who")
