"""Texts of verification results, for the page and the command, from data/verdicts.yaml."""

from portal.core.content_files import Content, load_content
from portal.directory.badges.statements import StatementVerdict, VerificationResult


class VerdictText(Content):
    """Text of a verdict with its tone and the exit code of the command."""

    heading: str
    description: str
    tone: str
    exit_code: int = 1


class ClaimLabel(Content):
    """Label of a claim."""

    name: str
    label: str


class VerificationTexts(Content):
    """Content of verdicts.yaml."""

    verdicts: dict[StatementVerdict, VerdictText]
    claims: tuple[ClaimLabel, ...]


TEXTS = load_content("portal/directory/data/verdicts.yaml", VerificationTexts)


def list_claims(result: VerificationResult) -> list[tuple[str, str]]:
    """Return the label and the shortened text of each claim that is not empty. Claims are untrusted."""
    return [
        (claim.label, _format_claim(result.claims[claim.name]))
        for claim in TEXTS.claims
        if result.claims.get(claim.name)
    ]


def _format_claim(claim: object) -> str:
    # Forged statements are shown, too, and their claims can have any type and length.
    text = " ".join(str(claim).split())[:300]
    # A page can't encode lone surrogates, and control characters could change what a terminal shows.
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
