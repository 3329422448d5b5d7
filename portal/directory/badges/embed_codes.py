"""Embed codes of badges, and shell commands that verify a statement.

The text alternative names no tier, because it would not change with the badge. Embed codes contain no user input.
"""

from portal.directory.badges.status import BadgeStatus

COMMANDS = r"""unb64() { tr -- '-_' '+/' | awk '{ while (length($0) % 4) $0 = $0 "="; print }' | openssl base64 -d -A; }
statement=$(cat statement.jws)
printf %s "${statement%.*}" > signed.txt
printf %s "${statement##*.}" | unb64 > signature.bin
openssl pkeyutl -verify -pubin -inkey badge-key.pem -rawin -in signed.txt -sigfile signature.bin
printf %s "${statement%.*}" | cut -d. -f2 | unb64
"""


def build_embed_codes(badge_status: BadgeStatus, style: str) -> tuple[tuple[str, str], ...]:
    """Return the embed codes of a badge as pairs of a markup language and a code."""
    image_url = f"{badge_status.page}badge.svg" + ("" if style == "flat" else f"?style={style}")
    alt_text = f"Status in the {badge_status.program} program"
    return (
        ("Markdown", f"[![{alt_text}]({image_url})]({badge_status.page})"),
        ("HTML", f'<a href="{badge_status.page}"><img src="{image_url}" alt="{alt_text}"></a>'),
        ("AsciiDoc", f'image:{image_url}["{alt_text}",link="{badge_status.page}"]'),
    )


def build_verification_commands(issuer: str, key_id: str) -> str:
    """Return shell commands that download a statement and verify it with openssl."""
    download_command = f"curl -so statement.jws {issuer}/directory/ID/statement.jws\n"
    return f"{download_command}curl -so badge-key.pem {issuer}/.well-known/badge-keys/{key_id}.pem\n{COMMANDS}"
