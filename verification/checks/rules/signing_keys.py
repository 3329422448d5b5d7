"""Checks of the keys that sign releases: expiration, owner, and rotation."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from portal.core.email_domains import PUBLIC_EMAIL_DOMAINS
from verification.checks.rules.publication import LISTED_STATUSES
from verification.checks.rules.release import add_terraform_evidence, read_report
from verification.checks.rules.shared_reads import require_repository, with_value
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases import Report
from verification.releases.artifacts import keyrings
from verification.releases.artifacts.armor import ArmorError
from verification.releases.artifacts.digest_verification import LimitError
from verification.releases.artifacts.keyrings import Certificate, VerificationLimit
from verification.releases.artifacts.packets import PacketError
from verification.releases.artifacts.remarks import Remark, build_remark
from verification.releases.artifacts.signatures import SignatureClass, Verdict
from verification.releases.program_rules import build_expiry_remarks
from verification.releases.summaries import NOTHING_TO_CHECK, build_result, list_platforms
from verification.sources import Sources

# Key in `known` that the next run reads: [{fingerprint, since, version, swapped}].
SIGNERS_KEY = "keys.signers"
NEW_KEY = "new key"
MAX_SIGNERS = 20
# How long a replaced key is reported. For a listed integration, a reviewer has to accept it.
ROTATION_WATCH_PERIOD = timedelta(days=30)
UNREGISTERED_VERDICTS = frozenset(
    {SignatureClass.WRONG_KEY, SignatureClass.NO_KEYS, SignatureClass.UNREADABLE_KEY, SignatureClass.UNSUPPORTED_KEY}
)
UNREAD_KEYS_RESULT = Result(
    Outcome.NOT_RUN, "The registered keys have more self-signatures than we verify, so we couldn't read all of them."
)


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The registry's keys for the release, and the verdict on its signature, None if it wasn't read.

    `is_complete`: whether the limit of self-signatures was enough for all keys.
    """

    report: Report
    certificates: tuple[Certificate, ...]
    verdict: Verdict | None
    is_complete: bool

    @property
    def fingerprints(self) -> tuple[str, ...]:
        return tuple(key.primary.fingerprint for key in self.certificates)

    @property
    def signer(self) -> Certificate | None:
        """Return the certificate that signed, if its key is registered."""
        return self.verdict.certificate if self.verdict and self.verdict.kind not in UNREGISTERED_VERDICTS else None


def read_signing_keys(subject: Subject, sources: Sources) -> SigningKeys:
    """Return the keys of the release, read once per run."""
    report = read_report(subject, sources)
    packages = [platform.package for platform in list_platforms(report.release) if platform.package]
    armored_keys = dict.fromkeys(key.ascii_armor for package in packages for key in package.keys)
    limit = VerificationLimit()  # for all keys together, as for the verdict
    certificates = {key.primary.fingerprint: key for text in armored_keys for key in _read_keys(text, limit)}
    # The registry has one list of checksums per version, so one verdict is that of all platforms.
    verdict = next((platform.verdict for platform in list_platforms(report.release) if platform.verdict), None)
    return SigningKeys(report, tuple(certificates.values()), verdict, limit.remaining > 0)


def _read_keys(armored_text: str, limit: VerificationLimit) -> list[Certificate]:
    try:
        return keyrings.read_armored(armored_text.encode(), limit)
    # release.signature reports unreadable keys. Here, they just aren't registered keys.
    except (ArmorError, PacketError, LimitError):
        return []


with_signing_keys = with_value(
    require_repository(read_signing_keys), lambda result, keys: add_terraform_evidence(result, keys.report)
)


@register_check("keys.registered", with_signing_keys)
def check_key_registered(subject: Subject, sources: Sources, keys: SigningKeys) -> Result:
    verdict = keys.verdict
    if verdict is None:
        return NOTHING_TO_CHECK
    primary_keys = [key.primary for key in keys.certificates]
    evidence = tuple(Evidence("Registered", f"{key.label}, {key.fingerprint}") for key in primary_keys)
    if verdict.signature is not None:
        evidence += (Evidence("Signed by", verdict.signature.issuer),)
    if verdict.kind in UNREGISTERED_VERDICTS:
        return Result(Outcome.FAIL, verdict.summary, evidence)
    if verdict.certificate is None:
        return Result(Outcome.NOT_RUN, "The release has no signature that names a key.", evidence)
    pass_summary = f"Registered key {verdict.certificate.primary.key_id} signed the release."
    return Result(Outcome.PASS, pass_summary, evidence)


@register_check("keys.expiry", with_signing_keys)
def check_key_expiry(subject: Subject, sources: Sources, keys: SigningKeys) -> Result:
    if not keys.certificates:
        return NOTHING_TO_CHECK
    end_by_fingerprint = {key.primary.fingerprint: _find_end(key, keys.verdict) for key in keys.certificates}
    # Terraform accepts expired keys, but 1.6.0 refused them, so publishers are warned before an expiration.
    remarks: list[Remark] = []
    evidence: list[Evidence] = []
    revoked = _list_revoked(keys, subject.now)
    for fingerprint, end in end_by_fingerprint.items():
        key_id = fingerprint[-16:]
        state = f"expires {end:%Y-%m-%d}" if end else "never expires"
        if fingerprint in revoked:
            remarks.append(build_remark(revoked[fingerprint], key=key_id))
            state = "revoked"
        else:
            remarks += build_expiry_remarks(f"The key {key_id}", end, subject.now.timestamp())
        evidence.append(Evidence(f"Key {key_id}", state))
    if not (remarks or keys.is_complete):
        return UNREAD_KEYS_RESULT
    return build_result(remarks, "No registered key is revoked or expires within 90 days.", tuple(evidence))


def _list_revoked(keys: SigningKeys, now: datetime) -> dict[str, str]:
    """Return the remark about each revoked key by its fingerprint."""
    revoked = [key.primary.fingerprint for key in keys.certificates if key.main.is_revoked(now.timestamp())]
    # The subkey that signed can be revoked alone.
    is_signer_revoked = keys.verdict is not None and keys.verdict.kind == SignatureClass.REVOKED
    signer = {keys.signer.primary.fingerprint: "revoked_signer"} if is_signer_revoked and keys.signer else {}
    return dict.fromkeys(revoked, "revoked_key") | signer


def _find_end(key: Certificate, verdict: Verdict | None) -> datetime | None:
    """Return when the key can no longer sign: the expiration of the primary key, or of the subkey that signed."""
    # A subkey can expire before its primary key, and only the subkey that signs matters to users.
    is_signer = verdict is not None and verdict.signer is not None and verdict.signer in key.keys
    return verdict.expires_at if verdict is not None and is_signer else key.expires_at


@register_check("keys.rotation", with_signing_keys)
def check_key_rotation(subject: Subject, sources: Sources, keys: SigningKeys) -> Result:
    if keys.verdict is None:
        return NOTHING_TO_CHECK
    if keys.signer is None:
        return Result(Outcome.NOT_RUN, "No registered key signed the release, so there is nothing to compare.")
    updated_history = _append_signer(subject.known.get(SIGNERS_KEY, []), keys, subject.now)
    entries = reversed(updated_history)
    evidence = tuple(Evidence(f"Since {e['since']}", f"{e['fingerprint']}, {e['version']}") for e in entries)
    remarks = _list_rotation_remarks(updated_history, keys, subject)
    # The former key can be one of those that weren't read.
    if remarks and not keys.is_complete:
        return UNREAD_KEYS_RESULT
    signer = updated_history[-1]
    pass_summary = f"Key {signer['fingerprint'][-16:]} has signed releases since {signer['since']}."
    return replace(
        build_result(remarks, pass_summary, evidence),
        inspected_revisions=((NEW_KEY, signer["fingerprint"]),) if remarks else (),
        observations={SIGNERS_KEY: updated_history},
    )


def _append_signer(history: list[dict[str, str]], keys: SigningKeys, now: datetime) -> list[dict[str, str]]:
    """Return the history with the current signing key. `swapped`: the day on which it replaced an unregistered key."""
    fingerprint = keys.signer.primary.fingerprint if keys.signer else ""
    if history and history[-1]["fingerprint"] == fingerprint:
        return history
    day = f"{now:%Y-%m-%d}"
    swapped_on = day if history and history[-1]["fingerprint"] not in keys.fingerprints else ""
    entry = {"fingerprint": fingerprint, "since": day, "version": keys.report.release.version, "swapped": swapped_on}
    return [*history, entry][-MAX_SIGNERS:]


def _list_rotation_remarks(history: list[dict[str, str]], keys: SigningKeys, subject: Subject) -> list[Remark]:
    last = history[-1]
    previous = history[-2]["fingerprint"] if len(history) > 1 else ""
    is_accepted = last["fingerprint"] == subject.get_accepted_value("keys.rotation")
    # With both keys registered, this is a rotation as the registry recommends it.
    if not last["swapped"] or is_accepted or previous in keys.fingerprints:
        return []
    swapped_at = datetime.fromisoformat(last["swapped"]).replace(tzinfo=UTC)
    is_listed = subject.listing_status in LISTED_STATUSES
    if not is_listed and subject.now - swapped_at > ROTATION_WATCH_PERIOD:
        return []
    remark = build_remark("swapped", day=last["since"], key=previous[-16:])
    return [replace(remark, outcome=Outcome.FAIL) if is_listed else remark]


@register_check("keys.personal", with_signing_keys)
def check_key_owner(subject: Subject, sources: Sources, keys: SigningKeys) -> Result:
    if keys.verdict is None:
        return NOTHING_TO_CHECK
    if keys.signer is None:
        return Result(Outcome.NOT_RUN, "No registered key signed the release.")
    domains = [domain for user in keys.signer.user_ids if (domain := extract_email_domain(user))]
    evidence = tuple(Evidence("Key owner", user) for user in keys.signer.user_ids[:5])
    homepage_host = _extract_host(subject.homepage)
    remarks: list[Remark] = []
    # Anyone can write any address into a key, so the owner is only a hint, at most a warning.
    if not domains:
        remarks = [build_remark("no_email")]
    elif all(domain in PUBLIC_EMAIL_DOMAINS for domain in domains):
        remarks = [build_remark("personal", domain=domains[0])]
    elif homepage_host and not any(_is_related_domain(homepage_host, domain) for domain in domains):
        evidence += (Evidence("Homepage", homepage_host, subject.homepage),)
    return build_result(remarks, f"The key belongs to {domains[0] if domains else 'no domain'}.", evidence)


def extract_email_domain(user_id: str) -> str:
    """Return the domain of the email address in a user ID, blank without an address."""
    address = user_id.rpartition("<")[2].rstrip(">").strip()
    return address.rpartition("@")[2].lower() if "@" in address else ""


def _extract_host(address: str) -> str:
    """Return the host without "www.", blank without one. GitHub shows any text as a homepage, even an invalid URL."""
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _is_related_domain(one: str, other: str) -> bool:
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")
