"""License files that must not pass: intact and changed texts with terms hidden beside and in them.

The terms and the places are lists in corpora/. Every term and every place occurs; the rest is random, from the seed.
"""

import random
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from tests.verification.licenses.honest import CORPORA, LICENSE_NAMES, Sample, get_license_body, read_entries
from tests.verification.licenses.mutants import draw_mutants

COUNT = 1_000
MUTANTS = 200
LOOKALIKES = str.maketrans("aceopxyiABCEHKMOPTXI", "асеорхуіАВСЕНКМОРТХІ")  # Latin to Cyrillic
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
BOLD = {ord("A") + n: 0x1D400 + n for n in range(26)} | {ord("a") + n: 0x1D41A + n for n in range(26)}
LICENSES = ("MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "BSL-1.0", "EPL-1.0")
Trick = Callable[[str], str]
TRICKS: dict[str, Trick] = {
    "zero-width space": lambda t: "\u200b".join(t),
    "zero-width joiner": lambda t: "\u200d".join(t),
    "word joiner": lambda t: t.replace(" ", " \u2060"),
    "soft hyphen": lambda t: "\u00ad".join(t),
    "inner byte order mark": lambda t: t[:1] + "\ufeff" + t[1:],
    "right to left": lambda t: f"\u202e{t[::-1]}\u202c",
    "isolated right to left": lambda t: f"\u2067{t[::-1]}\u2069",
    "look-alikes": lambda t: t.translate(LOOKALIKES),
    "full width": lambda t: t.translate(FULL_WIDTH),
    "mathematical": lambda t: t.translate(BOLD),
    "combining": lambda t: "".join(f"{c}\u0335" if c.isalpha() else c for c in t),
    "tags": lambda t: t + "".join(chr(0xE0000 + ord(c)) for c in "only trial"),
    "leetspeak": lambda t: t.translate(str.maketrans("aeiosAEIOS", "4310543105")),
    "spaced": lambda t: " ".join(t.replace(" ", "")),
    "dotted": lambda t: ".".join(t.replace(" ", "")),
    "underscored": lambda t: t.replace(" ", "_"),
    "camel case": lambda t: t.title().replace(" ", ""),
    "entity": lambda t: "".join(f"&#{ord(c)};" for c in t),
    "struck": lambda t: f"~~{t}~~",
    "emphasis": lambda t: f"**{t}**",
}
TRICK_PLACES = (
    "{n}\n\nCopyright (c) 2021 Jane Doe, {t}\n\n{b}",
    "{n}\n\nCopyright (c) 2021 {t}\n\n{b}",
    "{n}\n\nCopyright (c) 2021 Jane Doe\n\n{b}\n\n{t}\n",
    "{t}\n\n{n}\n\nCopyright (c) 2021 Jane Doe\n\n{b}",
)
CHANGES: dict[str, tuple[str, str, str]] = {  # what is changed, in which license, into what
    "restriction limited": ("without restriction", "with restriction", "MIT"),
    "sale struck": ("and/or sell", "and/or ~~sell~~", "MIT"),
    "sale commented out": ("sublicense, and/or sell\ncopies", "<!-- sublicense, and/or sell\n--> copies", "MIT"),
    "sale deleted": ("sublicense, and/or sell", "<del>sublicense, and/or sell</del>", "MIT"),
    "hidden paragraph": ("THE SOFTWARE IS", "<p hidden>THE SOFTWARE IS", "MIT"),
    "styled paragraph": ("THE SOFTWARE IS", '<p style="display:none">THE SOFTWARE IS', "MIT"),
    "linked words": ("without restriction", "[without restriction](https://example.com/eula)", "MIT"),
    "footnote": ("without restriction", "without restriction[^1]", "MIT"),
    "only persons": ("to any person", "to any natural person", "MIT"),
    "no charge": ("free of charge", "for a charge", "MIT"),
    "a second condition": ("The above copyright notice", "No fee may be taken. The above copyright notice", "MIT"),
    "may not": ("may be used to endorse", "may not be used to endorse", "BSD-3-Clause"),
    "fourth clause": ("THIS SOFTWARE IS", "4. No commercial use.\n\nTHIS SOFTWARE IS", "BSD-3-Clause"),
    "not permitted": ("are permitted", "are not permitted", "BSD-3-Clause"),
    "irrevocable": ("no-charge, royalty-free, irrevocable", "no-charge, royalty-free", "Apache-2.0"),
    "appendix extended": (
        "limitations under the License.",
        "limitations under the License.\n\n   Trial only.",
        "Apache-2.0",
    ),
    "appendix filled with terms": ("2021 Jane Doe", "2021 Jane Doe, Trial Seats Only", "Apache-2.0"),
    "not incompatible": ("royalty-free,", "", "MPL-2.0"),
    "secondary licenses": ("or any later versions of those", "or any later version of those", "MPL-2.0"),
    "government": ("to any person or organization", "to any person", "BSL-1.0"),
}
SECOND_LICENSES = (
    "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007",
    "This program is licensed under the GNU Affero General Public License.",
    "SPDX-License-Identifier: GPL-3.0-only",
    "SPDX-License-Identifier: MIT AND BUSL-1.1",
    "Business Source License 1.1\n\nLicensor: Acme\nChange Date: 2030-01-01",
    "“Commons Clause” License Condition v1.0",
    "Elastic License 2.0",
    "Server Side Public License\nVERSION 1, OCTOBER 16, 2018",
    "See LICENSE-COMMERCIAL for other uses.",
    "The directory ee/ has its own license.",
    "Additional terms: https://example.com/eula",
    "Attribution-NonCommercial 4.0 International",
    "PolyForm Noncommercial License 1.0.0",
    "NOTICE\nThis product includes software that may not be sold.",
    "Exhibit A\n\nThe following files are excluded: core/*.go",
    "Licensed to Acme under one agreement.",
    "Dual licensed under MIT and a commercial license.",
    "Copyright (c) 2021 Jane Doe. Licensed under the GPL.",
)
DIGITS = (
    "٢٠٢١",
    "२०२१",
    "２０２１",
    "๒๐๒๑",
    "MMXXI only",
    "twenty twenty-one seats",
    "1-5 seats",
    "2021 x10",
    "99",
    "10 000",
)


def generate_samples(seed: int = 11, count: int = COUNT, corpora: Path = CORPORA) -> Iterator[Sample]:
    """Yield `count` files with terms at a place, then every trick, change, second license, and digit, then mutants."""
    draw = random.Random(seed)
    terms = cycle(draw.sample(pool := read_entries(corpora / "restrictions.txt"), len(pool)))
    places = cycle(draw.sample(pool := read_entries(corpora / "places.txt"), len(pool)))
    for _ in range(count):
        yield place_terms(next(terms), next(places), draw.choice(LICENSES))
    plain = [term for term in read_entries(corpora / "restrictions.txt") if term.isascii()]
    for name, trick in TRICKS.items():
        for place in TRICK_PLACES:
            yield Sample(f"{name}: {place[:40]!r}", fill_place(place, trick(draw.choice(plain)), "MIT"))
    yield from generate_changed_texts()
    for text in SECOND_LICENSES:
        yield Sample(f"second: {text!r}", fill_place(TRICK_PLACES[2], text, "MIT"))
        yield Sample(f"first: {text!r}", fill_place(TRICK_PLACES[3], text, "MIT"))
    for digits in DIGITS:
        yield Sample(f"digits: {digits}", fill_place("{n}\n\nCopyright (c) {t} Jane Doe\n\n{b}", digits, "MIT"))
    for id, kind, text in draw_mutants(seed, MUTANTS):
        yield Sample(f"{id} {kind}", text)


def place_terms(terms: str, place: str, id: str) -> Sample:
    return Sample(f"{id}: {terms!r} at {place.replace('{b}', '…')!r}", fill_place(place, terms, id))


def fill_place(place: str, terms: str, id: str) -> str:
    hyphens = terms.lower().replace(" ", "-")
    run_together = terms.title().replace(" ", "")
    return place.format(t=terms, s=hyphens, u=run_together, n=LICENSE_NAMES[id], b=get_license_body(id))


def generate_changed_texts() -> Iterator[Sample]:
    """Yield texts with one changed phrase."""
    for name, (old, new, id) in CHANGES.items():
        text = get_license_body(id)
        if old in text:
            yield Sample(f"changed: {name}", f"Copyright (c) 2021 Jane Doe\n\n{text.replace(old, new, 1)}")
