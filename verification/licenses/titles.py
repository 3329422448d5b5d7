"""Titles, sentences and tags that name a license.

Patterns over folded text: lower-case words with one blank between, no punctuation.
"""

import re
from functools import cache

from verification.licenses.lexicon import lines

V = r"(?: version| ver| v)? v?"
TITLES: dict[str, tuple[str, ...]] = {
    "AFL-2.1": (rf"academic free license afl{V}2 1", rf"academic free license{V}2 1", "afl 2 1"),
    "AFL-3.0": (rf"academic free license afl{V}3 0", rf"academic free license{V}3 0", "afl 3 0"),
    "Apache-1.1": (rf"apache software license{V}1 1", "apache license(?: version)? 1 1", "apache 1 1"),
    "Apache-2.0": (
        rf"apache(?: software| public)? license{V}2(?: 0)?(?: january 2004)?"
        r"(?: http www apache org licenses(?: license 2 0(?: txt| html)?)?)?",
        rf"apache(?: software)?{V}2(?: 0)?(?: license)?",
        "asl 2 0",
        "terms and conditions for use reproduction and distribution",
    ),
    "Artistic-1.0": (rf"artistic license{V}1 0", "artistic license", "clarified artistic license", "artistic 1 0"),
    "Artistic-2.0": (
        rf"artistic license{V}2 0",
        "artistic 2 0",
        "everyone is permitted to copy and distribute verbatim copies of this"
        " license document but changing it is not allowed",
    ),
    "BSD-2-Clause": (
        r"(?:the )?(?:simplified |freebsd )?bsd(?: 2| two)(?: clause)?(?: simplified)?(?: license)?",
        "(?:simplified|freebsd) (?:bsd )?license",
        "(?:simplified|freebsd) bsd",
    ),
    "BSD-3-Clause": (
        r"(?:new |revised |modified )?bsd(?: 3| three)(?: clause)?(?: new or revised| new| revised)?(?: license)?",
        r"(?:3|three) clause (?:new |revised |modified )?bsd(?: license)?",
        r"(?:new|revised|modified|new or revised) bsd(?: license)?",
        "bsd license(?: 2 0)? (?:3 clause|new)(?: also known as the new bsd license)?",
    ),
    "BSL-1.0": (r"boost software license(?:(?: bsl| boost)?(?: version| v)? 1 0(?: august 17th 2003)?)?", "bsl 1 0"),
    "CC-BY-1.0": ("(?:creative commons )?attribution 1 0(?: generic)?", "cc by 1 0"),
    "CC-BY-2.0": ("(?:creative commons )?attribution 2 0(?: generic)?", "cc by 2 0"),
    "CC-BY-2.5": ("(?:creative commons )?attribution 2 5(?: generic)?", "cc by 2 5"),
    "CC-BY-3.0": ("(?:creative commons )?attribution 3 0(?: unported)?", "cc by 3 0(?: unported)?"),
    "CC-BY-4.0": (
        r"(?:creative commons )?attribution 4 0 international(?: cc by 4 0)?(?: public license)?",
        "cc by 4 0",
    ),
    "CDDL-1.0": (r"common development and distribution license(?: cddl)?(?: version| v)? v?1 0", "cddl 1 0"),
    "CPL-1.0": (rf"common public license(?: cpl)?{V}1 0", "cpl 1 0"),
    "EPL-1.0": (rf"eclipse public license(?: epl)?{V}1 0", "epl 1 0"),
    "MIT": (
        r"(?:mit|expat|mit x11|mit expat|x11 mit|massachusetts institute of technology(?: mit)?)(?: style)?"
        r"(?: open source)?"
        r"(?: license)?(?: terms)?(?: (?:mit|expat|x11))?",
    ),
    "MPL-1.0": (rf"mozilla public license(?: mpl)?{V}1 0", "mpl 1 0"),
    "MPL-1.1": (rf"mozilla public license(?: mpl)?{V}1 1", "mpl 1 1"),
    "MPL-2.0": (rf"mozilla public license(?: mpl)?{V}2 0(?: mpl 2 0)?", rf"mpl{V}2 0", "mplv2 0"),
    "MS-PL": ("microsoft public license(?: ms pl)?", "ms pl"),
    "PSF-2.0": ("python software foundation license(?: agreement)?(?:)?(?: version 2)?",),
    "Python-2.0": ("python software foundation license(?: version 2)?", "python license(?: 2 0)?"),
    "Ruby": ("ruby(?: s)? license", "ruby licensing"),
}
# names as SPDX and the Open Source Initiative write them; each is also a title on its own, the longest first
NAMES: dict[str, tuple[str, ...]] = {}
for _line in lines("titles"):
    _id, _name = _line.split(": ", 1)
    NAMES[_id] = (" ".join(re.findall(r"[a-z0-9]+", _name.lower())), *NAMES.get(_id, ()))
for _id, _names in NAMES.items():
    TITLES[_id] += _names
BSD = "(?:original |the )?bsd(?: style)?(?: license)?"
for _id in ("BSD-2-Clause", "BSD-3-Clause"):
    TITLES[_id] += (BSD, f"software license agreement {BSD}")
CC = ((1, 0), (2, 0), (2, 5), (3, 0), (4, 0))
PLACES = {
    "Apache-2.0": r"(?:www )?apache org licenses(?: license 2 0(?: txt| html)?)?|opensource org licenses? apache 2 0",
    "MIT": r"(?:www )?(?:opensource org licenses? mit(?: license)?(?: php| html)?|mit license org)",
    "BSD-3-Clause": r"(?:www )?opensource org licenses? bsd(?: 3 clause| license)(?: php| html)?",
    "BSD-2-Clause": r"(?:www )?opensource org licenses? bsd(?: 2 clause| license)(?: php| html)?",
    "MPL-2.0": r"(?:www )?mozilla org (?:en us )?mpl 2 0(?: index txt)?|opensource org licenses? mpl 2 0",
    "BSL-1.0": r"(?:www )?boost org license 1 0 txt",
    **{f"CC-BY-{one}.{two}": rf"creativecommons org licenses by {one} {two}(?: legalcode)?" for one, two in CC},
}
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
    """Return the pattern over folded text (lower-case words, one blank between), ending where a word ends."""
    return re.compile(rf"(?:{pattern})(?= |$)")


def build_title_pattern(ids: tuple[str, ...]) -> str:
    names = "|".join(f"(?:{name})" for id in ids for name in TITLES.get(id, ()))
    license = "|".join(lines("license_words"))
    return rf"(?:the |(?:{license}) )?(?:{names})(?: (?:{license}))?(?: agreement)?"


def plain(id: str) -> str:
    """Return an SPDX id as folded text."""
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
def titles(ids: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Patterns of what may name licenses of these ids without adding anything: titles, sentences, tags, addresses."""
    always = (PLAIN, CREDITS, BLANK_FORM, FULL_TEXT, "all rights? reserved")
    if not ids:
        return tuple(map(compile_folded_pattern, always))
    name = build_title_pattern(ids)
    spdx_ids = "|".join(plain(id) for id in ids)
    names = "|".join(name for id in ids for name in NAMES.get(id, ())) or name
    places = "|".join([rf"spdx org licenses (?:{spdx_ids})(?: html)?", *(PLACES[id] for id in ids if id in PLACES)])
    where = rf"(?: http (?:{places}))?"
    return tuple(
        map(
            compile_folded_pattern,
            (
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
            ),
        )
    )
