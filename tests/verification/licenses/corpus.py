"""Corpus of license files made from published texts, each with its expected verdict.

`expected`: the verdicts that are right, as "allow", "deny", "review" or "no" (deny or review: never allow).
"""

import html
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from integrations.programs.registry import PROGRAMS
from verification.licenses.policy import Policy
from verification.licenses.templates import VARIANTS, read_text

COMMON_LICENSES = ("MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "BSL-1.0", "EPL-1.0")
ACCEPTED_VERDICTS = {"allow": {"allow"}, "deny": {"deny"}, "review": {"review"}, "no": {"deny", "review"}}


@dataclass(frozen=True, slots=True)
class Case:
    """A file with its expected verdict in a program."""

    name: str
    text: str
    expected: str
    program: str = "terraform-provider"


def build_policy(program: str = "terraform-provider") -> Policy:
    licenses = PROGRAMS[program].editions[-1].licenses
    return Policy(licenses.allow, licenses.manual_review)


def fill_license_text(id: str, holder: str = "Jane Doe", year: str = "2021") -> str:
    """Return a published text with its blanks filled in."""
    content = read_text(f"{id}.txt")
    for blank in ("<year> <copyright holders>", "<year> <owner>", "[yyyy] [name of copyright owner]"):
        content = content.replace(blank, f"{year} {holder}")
    return content


def list_layouts(id: str) -> Iterator[tuple[str, str]]:
    """Yield the same text in other layouts."""
    text = fill_license_text(id)
    changes: dict[str, Callable[[str], str]] = {
        "crlf": lambda t: "\ufeff" + t.replace("\n", "\r\n"),
        "one line": lambda t: " ".join(t.split()),
        "rewrapped": lambda t: "\n\n".join(textwrap.fill(p, 60) for p in re.split(r"\n\s*\n", t)),
        "quoted": lambda t: "".join(f"> {line}\n" for line in t.splitlines()),
        "hashes": lambda t: "".join(f"# {line}\n" for line in t.splitlines()),
        "comment": lambda t: "/*\n" + "".join(f" * {line}\n" for line in t.splitlines()) + " */\n",
        "fence": lambda t: f"```text\n{t}\n```\n",
        "html": lambda t: f"<html><body><pre>{html.escape(t)}</pre></body></html>",
        "paragraphs": lambda t: "".join(f"<p>{html.escape(p)}</p>\n" for p in t.split("\n\n")),
        "curly quotes": lambda t: t.replace('"', "”").replace("'", "’"),
        "spaces": lambda t: t.replace(" ", "  ").replace("\n", "\n\n"),
        "headings": lambda t: re.sub(r"(?m)^([A-Z][A-Z .]+)$", r"## \1", t),
    }
    for name, change in changes.items():
        yield name, change(text)


def list_allowed_cases() -> Iterator[Case]:
    """Yield files that must be decided without a person."""
    mit = fill_license_text("MIT")
    bsd = fill_license_text("BSD-3-Clause")
    apache = fill_license_text("Apache-2.0")
    for id in sorted(build_policy().allow):
        yield Case(f"list/{id}", fill_license_text(id), "allow")
    for id in COMMON_LICENSES:
        for name, text in list_layouts(id):
            yield Case(f"layout/{id} {name}", text, "allow")
    yield Case("fine/title in markdown", mit.replace("MIT License", "# The MIT License (MIT)"), "allow")
    yield Case("fine/linked title", mit.replace("MIT License", "[MIT](https://opensource.org/licenses/MIT)"), "allow")
    yield Case("fine/project name", "terraform-provider-acme\n\n" + mit, "allow")
    yield Case("fine/sentence", "This project is licensed under the MIT License.\n\n" + mit, "allow")
    yield Case("fine/tag", "SPDX-License-Identifier: MIT\n" + mit, "allow")
    yield Case(
        "fine/holders",
        mit.replace("Jane Doe", "Acme, Inc. and its affiliates\nCopyright (c) 2019 Bo Li <b@li.io>"),
        "allow",
    )
    yield Case("fine/rights reserved", bsd.replace("Jane Doe", "The Go Authors. All rights reserved"), "allow")
    yield Case(
        "fine/organisation", bsd.replace("the name of the copyright holder", "the name of Acme Widgets Inc."), "allow"
    )
    yield Case("fine/bullets", re.sub(r"(?m)^\d\. ", "* ", bsd), "allow")
    yield Case("fine/no appendix", apache.split("END OF TERMS")[0], "allow")
    yield Case("fine/two texts", mit + "\n\n" + fill_license_text("BSL-1.0"), "allow")
    yield Case(
        "fine/choice",
        "Licensed under either of Apache License, Version 2.0 or MIT license at your option.\n" + mit,
        "allow",
    )
    yield Case("fine/choice with GPL", "SPDX-License-Identifier: MIT OR GPL-2.0\n" + mit, "allow")
    yield Case("fine/Nomad", fill_license_text("MPL-2.0"), "allow", "nomad")


def list_refused_cases() -> Iterator[Case]:
    """Yield files that must not pass."""
    mit = fill_license_text("MIT")
    apache = fill_license_text("Apache-2.0")
    mpl = fill_license_text("MPL-2.0")
    clause = (
        "“Commons Clause” License Condition v1.0\nThe Software is provided to you by the Licensor under the License, "
        "as defined below, subject to the following condition.\n\n"
    )
    header = mpl[mpl.index("This Source Code Form is subject") : mpl.index("If it is not possible")]
    for id in ("MIT", "Apache-2.0", "BSD-3-Clause", "MPL-2.0"):
        yield Case(f"trap/Commons Clause {id}", clause + fill_license_text(id), "deny")
    for id in ("BSD-2-Clause", "PSF-2.0", "Python-2.0"):
        yield Case(f"trap/asked {id}", fill_license_text(id), "review")
    for id in sorted(build_policy().allow - {"MPL-2.0"}):
        yield Case(f"Nomad/{id}", fill_license_text(id), "deny", "nomad")
    for id in sorted(VARIANTS.texts.keys() & build_policy().allow):
        text = fill_license_text(id)
        yield Case(f"truncated/{id}", text[: len(text) * 3 // 5], "no")
        yield Case(f"beheaded/{id}", text[len(text) // 2 :], "no")
    for id in ("MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "EPL-1.0", "CDDL-1.0"):
        name = {"MIT": "Apache License, Version 2.0"}.get(id, "MIT License")
        yield Case(f"lying title/{id}", f"{name}\n\n{fill_license_text(id)}", "no")
        yield Case(f"lying tag/{id}", f"SPDX-License-Identifier: GPL-3.0-only\n\n{fill_license_text(id)}", "no")
        yield Case(
            f"other sentence/{id}", f"{fill_license_text(id)}\nThis project is licensed under the GPL license.\n", "no"
        )
    yield Case("trap/header over other terms", header + "\nAll rights are reserved. No copying.\n", "no")
    yield Case("trap/header over GPL", header + "\nGNU GENERAL PUBLIC LICENSE Version 3\n", "no", "nomad")
    yield Case(
        "trap/second notice",
        mpl + "\n" + mpl[mpl.index('This Source Code Form is "Incompatible') :],
        "no",
    )
    yield Case("trap/bare BSD", "BSD License\n\nCopyright 2020 Acme\n", "no")
    yield Case("trap/bare CC-BY", "CC-BY\n", "no")
    yield Case("trap/PSL", "PSL 2.0\n", "no")
    yield Case("trap/CDDL 1.1", fill_license_text("CDDL-1.0").replace("Version 1.0", "Version 1.1"), "no")
    yield Case("trap/CDDL 2.0", fill_license_text("CDDL-1.0").replace("Version 1.0", "Version 2.0"), "no")
    yield Case("trap/EPL 2.0 title", fill_license_text("EPL-1.0").replace("v 1.0", "v 2.0"), "no")
    yield Case("trap/SA", fill_license_text("CC-BY-4.0").replace("Attribution 4.0", "Attribution-ShareAlike 4.0"), "no")
    yield Case(
        "trap/NC", fill_license_text("CC-BY-4.0").replace("Attribution 4.0", "Attribution-NonCommercial 4.0"), "no"
    )
    yield Case("trap/ND", fill_license_text("CC-BY-3.0").replace("Attribution 3.0", "Attribution-NoDerivs 3.0"), "no")
    yield Case(
        "trap/choice without text", "Licensed under either of Apache License 2.0 or MIT license at your option.\n", "no"
    )
    yield Case("trap/both without choice", "SPDX-License-Identifier: MIT AND GPL-2.0\n" + mit, "no")
    yield Case("trap/name with terms", mit.replace("Jane Doe", "Acme, for non-commercial use only"), "no")
    yield Case("trap/name in capitals", mit.replace("Jane Doe", "Acme. Not For Commercial Use"), "no")
    yield Case(
        "trap/organisation slot",
        fill_license_text("BSD-3-Clause").replace(
            "the name of the copyright holder", "the name of Acme (no commercial use)"
        ),
        "no",
    )
    yield Case("trap/fields slot", apache.replace("Jane Doe", "Acme, evaluation only"), "no")
    yield Case("trap/struck through", mit.replace("without restriction", "~~without restriction~~"), "no")
    yield Case("trap/deleted tag", mit.replace("sublicense, and/or sell", "<del>sublicense, and/or sell</del>"), "no")
    yield Case("trap/hidden comment", mit + "\n<!-- not for commercial use -->\n", "no")
    yield Case("trap/hidden reference", mit + "\n[//]: # (not for commercial use)\n", "no")
    yield Case("trap/tooltip", f'<p title="not for commercial use">{mit}</p>', "no")
    yield Case("trap/zero width", mit + "\nn\u200bot for sale\n", "no")
    yield Case("trap/look-alikes", mit.replace("sell", "s\u0435ll"), "no")
    yield Case("trap/overstruck", mit.replace("sell", "s\u0336e\u0336l\u0336l\u0336"), "no")
    yield Case("trap/turned round", mit + "\n\u202eelas rof ton\u202c\n", "no")
    yield Case("trap/project name with terms", "Evaluation Use Only\n\n" + mit, "no")
    yield Case("trap/not licensed", "Not licensed under the MIT license.\n\n" + mit, "no")
    yield Case("trap/except", "Except core, licensed under the MIT license.\n\n" + mit, "no")
    yield Case("trap/empty", "", "no")
    yield Case("trap/binary", "\x00\x01\x02" + mit, "no")
    yield Case("trap/huge", mit + "\n" * 300_000, "no")


CASES = (*list_allowed_cases(), *list_refused_cases())
