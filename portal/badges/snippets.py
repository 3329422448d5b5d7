"""What does one paste to show a badge? The same picture and link in three languages.

The words beside the picture name no tier: they would stay where the badge has changed. Nothing that people typed
stands in a snippet.
"""

from dataclasses import dataclass

from portal.badges.truth import Truth


@dataclass(frozen=True, slots=True)
class Snippet:
    """What to paste, and into what."""

    name: str
    text: str


def snippets(truth: Truth, style: str) -> tuple[Snippet, ...]:
    """Markdown, HTML and AsciiDoc of a badge in a style."""
    picture = f"{truth.page}badge.svg" + ("" if style == "flat" else f"?style={style}")
    words = f"Standing in the {truth.program} program"
    return (
        Snippet("Markdown", f"[![{words}]({picture})]({truth.page})"),
        Snippet("HTML", f'<a href="{truth.page}"><img src="{picture}" alt="{words}"></a>'),
        Snippet("AsciiDoc", f'image:{picture}["{words}",link="{truth.page}"]'),
    )
