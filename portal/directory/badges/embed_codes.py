"""What does one paste to show a badge, or to verify one? Picture and link in three languages, and lines for a shell.

The words beside the picture name no tier: they would stay where the badge has changed. Nothing that people typed
stands in a snippet.
"""

from dataclasses import dataclass

from portal.directory.badges.status import Truth

OPENSSL = r"""unb64() { tr -- '-_' '+/' | awk '{ while (length($0) % 4) $0 = $0 "="; print }' | openssl base64 -d -A; }
word=$(cat statement.jws)
printf %s "${word%.*}" > signed.txt
printf %s "${word##*.}" | unb64 > signature.bin
openssl pkeyutl -verify -pubin -inkey badge-key.pem -rawin -in signed.txt -sigfile signature.bin
printf %s "${word%.*}" | cut -d. -f2 | unb64
"""


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


def recipe(issuer: str, kid: str) -> str:
    """Lines for a shell that fetch a statement of this portal and verify it with openssl alone."""
    fetched = f"curl -so statement.jws {issuer}/listed/ID/statement.jws\n"
    return f"{fetched}curl -so badge-key.pem {issuer}/.well-known/badge-keys/{kid}.pem\n{OPENSSL}"
