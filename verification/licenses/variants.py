"""Places where an honest copy of a license may differ from its published text. Data only.

The texts are in data/texts/ as SPDX publishes them; any part not listed here must match exactly. `{name}`
takes a name and `{fields}` the copyright line of a form; verification.licenses.names checks their content. Other
braces name one of GROUPS.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vary:
    """Instead of `fragment` (up to and with `to`, if given) the text may hold one of `options`. "" leaves it out."""

    fragment: str
    options: tuple[str, ...] = ("",)
    to: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """Form in which the text of a license is read: from `start` to `end`; titles before are known elsewhere.

    `loose`: paragraphs whose letter is another one, or none, in some editions of the text.
    """

    start: str
    end: str = ""
    vary: tuple[Vary, ...] = ()
    loose: tuple[str, ...] = ()


GROUPS: dict[str, tuple[str, ...]] = {
    "holders": (
        *("the copyright holder", "the copyright holders", "the copyright owner", "the copyright owners", "the author"),
        *("the authors", "the author(s)", "the contributors", "the regents", "the foundation", "its author"),
        *("the creator", "this software", "the university", "the organization", "the company", "the project", "{name}"),
    ),
    "theirs": (
        *(
            "",
            " or contributors",
            " and contributors",
            " or the contributors",
            " and the contributors",
        ),
        *(" or its contributors", " and its contributors", " or copyright holders"),
        *(" or the copyright holders", " or his contributors", " or their contributors"),
    ),
    "will": ("shall", "will"),
    "mit holders": (
        *("the authors", "the author", "the copyright holders", "the copyright holder", "the copyright owner"),
        *("the copyright owners", "the author or copyright holders", "the authors or copyright holder"),
        *("the author or copyright holder", "the author(s)", "the authors or the copyright holders"),
        *("the contributors or copyright holders", "the copyright holders or contributors"),
        *("the copyright holder or contributors", "the authors, contributors or copyright holders", "{name}"),
    ),
    "neither": ("neither the name of", "neither the names of", "neither the name(s) of"),
    "whose": ("its", "any", "their", "the", "his", "other", "the project", "project"),
    "the name of": ("the name of", "the names of", "the name(s) of"),
}
"""The sets of phrases that stand for one another. None is another one less a word: a lost word must show."""
MIT = Form(
    "Permission is hereby granted",
    vary=(
        Vary("THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY", ("{mit holders} be liable for any",)),
        Vary("EVENT SHALL", ("event will",)),
        Vary("to whom the Software is", ("to whom the software are",)),
        Vary("notice shall be included", ("notice (including the next paragraph) shall be included",)),
        Vary("USE OR OTHER DEALINGS IN THE SOFTWARE", ("use or other dealings with the software",)),
    ),
)
BSD_HEAD = (
    Vary("in source and binary forms, with", ("of this software in source and binary forms, with",)),
    Vary("the following conditions are met", ("the following conditions are satisfied",)),
    Vary("retain the above copyright notice", ("retain the above copyright notices",)),
    Vary('BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY', ('by {holders}{theirs} "as is" and any',)),
    Vary("EXPRESS OR IMPLIED", ("expressed or implied",)),
    Vary(
        "EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY",
        ("event {will} {holders}{theirs} be liable for any",),
    ),
    Vary("POSSIBILITY OF SUCH DAMAGE", ("possibility of such damages",)),
)
NO_ENDORSEMENT = Vary(
    "Neither the name of the copyright holder nor the names of its contributors may be used",
    (
        "neither the package name nor the names of its contributors may be used",
        "{neither} {holders} nor {the name of} {whose} contributors may be used",
        "neither the name of the author nor the names of contributors may be used",
        "{neither} {holders} nor those of {whose} contributors may be used",
        "{neither} {holders} nor {whose} contributors may be used",
        "neither {name} nor {the name of} {whose} contributors may be used",
        "{neither} {holders} may be used",
        "{the name of} {whose} contributors may not be used",
        "{the name of} {holders}{theirs} may not be used",
        "the name {name} may not be used",
    ),
)
APACHE_2 = Form(
    "1. Definitions.",
    vary=(
        Vary("by brackets", ('by brackets "{}"',)),
        Vary(
            "Copyright [yyyy] [name of copyright owner] Licensed under the Apache License, Version 2.0",
            ("{fields} licensed under the apache license, version 2.0",),
        ),
        Vary(
            "APPENDIX: How to apply the Apache License to your work.",
            ("", "how to apply the apache license to your work"),
        ),
        Vary("To apply the Apache License to your work, attach", to="identification within third-party archives."),
        Vary("http://www.apache.org/licenses/LICENSE-2.0", ("http://apache.org/licenses/LICENSE-2.0",)),
        Vary("END OF TERMS AND CONDITIONS", ("END OF TERMS AND CONDITIONS", ""), to="limitations under the License."),
    ),
)
FORMS: dict[str, Form] = {
    "AFL-2.1": Form("This Academic Free License"),
    "AFL-3.0": Form("This Academic Free License"),
    "Apache-1.1": Form(
        "Redistribution and use in source",
        vary=(
            Vary("THE APACHE SOFTWARE FOUNDATION OR ITS", ("the apache group or its",)),
            Vary("Portions of this software are based upon", to="Illinois, Urbana-Champaign."),
            Vary("This software consists of voluntary contributions", to="http://www.apache.org/>."),
        ),
    ),
    "Apache-2.0": APACHE_2,
    "Artistic-1.0": Form("The intent of this document", vary=(Vary("The End"),)),
    "Artistic-2.0": Form("This license establishes the terms"),
    "BSD-2-Clause": Form("Redistribution and use", vary=BSD_HEAD),
    "BSD-3-Clause": Form("Redistribution and use", vary=(*BSD_HEAD, NO_ENDORSEMENT)),
    "BSL-1.0": Form("Permission is hereby granted"),
    "CC-BY-1.0": Form("THE WORK (AS DEFINED BELOW)", "written agreement of the Licensor and You."),
    "CC-BY-2.0": Form("THE WORK (AS DEFINED BELOW)", "written agreement of the Licensor and You."),
    "CC-BY-2.5": Form("THE WORK (AS DEFINED BELOW)", "written agreement of the Licensor and You."),
    "CC-BY-3.0": Form("THE WORK (AS DEFINED BELOW)", "any rights under\n    applicable law."),
    "CC-BY-4.0": Form(
        "By exercising the Licensed Rights",
        "jurisdiction or authority.",
        loose=(
            "For the avoidance of doubt, this Section 6(b)",
            "For the avoidance of doubt, the Licensor may",
            "Sections 1, 5, 6, 7, and 8",
        ),
    ),
    "CDDL-1.0": Form("1. Definitions."),
    "CPL-1.0": Form("THE ACCOMPANYING PROGRAM"),
    "EPL-1.0": Form("THE ACCOMPANYING PROGRAM"),
    "MIT": MIT,
    "MPL-1.0": Form("1. Definitions."),
    "MPL-1.1": Form(
        "1. Definitions.",
        vary=(
            Vary(
                "Any addition to or deletion from the contents", ("a. any addition to or deletion from the contents",)
            ),
            Vary("Any new file that contains", ("b. any new file that contains",)),
            Vary("Sections 3.1, 3.2, 3.3, 3.4 and 3.5 have", ("section 3.1-3.5 have",)),
        ),
    ),
    "MPL-2.0": Form(
        "1. Definitions",
        vary=(
            Vary("at https://mozilla.org/MPL/2.0/", ("at http://www.mozilla.org/MPL/2.0/",)),
            Vary(
                "Exhibit A - Source Code Form License Notice", to="additional accurate notices of copyright ownership."
            ),
            Vary('Exhibit B - "Incompatible With Secondary', to="as defined by the Mozilla Public License, v. 2.0."),
        ),
    ),
    "MS-PL": Form("This license governs use"),
    "PSF-2.0": Form("1. This LICENSE AGREEMENT"),
    "Python-2.0": Form("1. This LICENSE AGREEMENT"),
    "Ruby": Form("1. You may make and give away"),
}
NOTICES: dict[str, tuple[Form, ...]] = {
    "Apache-2.0": (
        Form(
            'Licensed under the Apache License, Version 2.0 (the "License")',
            vary=(
                Vary("use this file", ("use this software", "use this product", "use this project", "use these files")),
                Vary("http://www.apache.org/licenses/LICENSE-2.0", ("http://apache.org/licenses/LICENSE-2.0",)),
            ),
        ),
    ),
    "MPL-2.0": (Form("This Source Code Form is subject", "You can obtain one at https://mozilla.org/MPL/2.0/"),),
}
"""The notices by which a licence is meant to be applied: they grant it, and may stand beside its text."""
CC_FRAME = (
    Form("CREATIVE COMMONS CORPORATION IS NOT A LAW FIRM", "RESULTING FROM ITS USE."),
    Form("Creative Commons is not a party to this License", "contacted at http://creativecommons.org/"),
)
BESIDE: dict[str, tuple[Form, ...]] = {
    "CC-BY-1.0": CC_FRAME,
    "CC-BY-2.0": CC_FRAME,
    "CC-BY-2.5": CC_FRAME,
    "CC-BY-3.0": (
        CC_FRAME[0],
        Form("Creative Commons Notice", "contacted at https://creativecommons.org/"),
    ),
    "CC-BY-4.0": (
        Form("Creative Commons Corporation", "their use to the fullest extent possible."),
        Form(
            "Using Creative Commons Public Licenses",
            "More considerations for the public.",
            (
                Vary(
                    "considerations for licensors. Considerations for the public: By",
                    (
                        "considerations for licensors: wiki.creativecommons.org/Considerations_for_licensors"
                        " Considerations for the public: By",
                    ),
                ),
                Vary(
                    "More considerations for the public",
                    (
                        "more considerations for the public: wiki.creativecommons.org/Considerations_for_licensees",
                        "more considerations for the public",
                    ),
                ),
            ),
        ),
        Form(
            "Creative Commons is not a party to its public licenses",
            "contacted at creativecommons.org",
            (
                Vary(
                    "the “Licensor.” Except",
                    (
                        "the licensor. The text of the Creative Commons public licenses is dedicated to the public"
                        " domain under the CC0 Public Domain Dedication. Except",
                    ),
                ),
            ),
        ),
    ),
}
"""Words of the published text that are no terms and may be left out."""
