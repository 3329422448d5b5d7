"""What does one paste to show a badge, or to verify one? Picture and link in three languages, and lines for a shell.

The words beside the picture name no tier: they would stay where the badge has changed. Nothing that people typed
stands in a snippet.
"""

from dataclasses import dataclass

from portal.directory.badges.status import BadgeStatus

COMMANDS = r"""unb64() { tr -- '-_' '+/' | awk '{ while (length($0) % 4) $0 = $0 "="; print }' | openssl base64 -d -A; }
word=$(cat statement.jws)
printf %s "${word%.*}" > signed.txt
printf %s "${word##*.}" | unb64 > signature.bin
openssl pkeyutl -verify -pubin -inkey badge-key.pem -rawin -in signed.txt -sigfile signature.bin
printf %s "${word%.*}" | cut -d. -f2 | unb64
"""


@dataclass(frozen=True, slots=True)
class EmbedCode:
    """What to paste, and into what."""

    name: str
    text: str


def build_embed_codes(badge_status: BadgeStatus, style: str) -> tuple[EmbedCode, ...]:
    """Markdown, HTML and AsciiDoc of a badge in a style."""
    image_url = f"{badge_status.page}badge.svg" + ("" if style == "flat" else f"?style={style}")
    alt_text = f"Standing in the {badge_status.program} program"
    return (
        EmbedCode("Markdown", f"[![{alt_text}]({image_url})]({badge_status.page})"),
        EmbedCode("HTML", f'<a href="{badge_status.page}"><img src="{image_url}" alt="{alt_text}"></a>'),
        EmbedCode("AsciiDoc", f'image:{image_url}["{alt_text}",link="{badge_status.page}"]'),
    )


def build_verification_commands(issuer: str, key_id: str) -> str:
    """Lines for a shell that fetch a statement of this portal and verify it with openssl alone."""
    download_command = f"curl -so statement.jws {issuer}/listed/ID/statement.jws\n"
    return f"{download_command}curl -so badge-key.pem {issuer}/.well-known/badge-keys/{key_id}.pem\n{COMMANDS}"
