"""Are the keys that sign releases in good health? When they end, who they belong to, how they followed each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from portal.core.translation import gettext_noop
from verification.checks.rules.release import NO_PROVIDER, finished, report_of
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases import Report
from verification.releases.artifacts import keyrings
from verification.releases.artifacts.arithmetic import LimitError
from verification.releases.artifacts.armor import ArmorError
from verification.releases.artifacts.keyrings import Certificate
from verification.releases.artifacts.packets import PacketError
from verification.releases.artifacts.remarks import Remark, fail, warn
from verification.releases.artifacts.signatures import SENTENCES, Class, Verdict
from verification.releases.program_rules import DAY, FORECASTS
from verification.releases.summaries import NOTHING, offered, result
from verification.sources import Sources

SIGNING = "https://developer.hashicorp.com/terraform/registry/providers/publishing"
SIGNERS = "keys.signers"  # what the next run finds in known: [{fingerprint, since, version, swapped}]
NEW_KEY = "new key"
MOST_SIGNERS = 20
WATCHED = timedelta(days=30)  # so long a swapped key is pointed out; with a verified one, until a person accepts it
UNREGISTERED = frozenset({Class.WRONG_KEY, Class.NO_KEYS, Class.UNREADABLE_KEY, Class.UNSUPPORTED_KEY})
PRIVATE_MAIL = frozenset(
    {
        "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "ymail.com",
        "icloud.com", "me.com", "mac.com", "aol.com", "gmx.de", "gmx.net", "gmx.com", "web.de", "proton.me",
        "protonmail.com", "pm.me", "mail.ru", "yandex.ru", "qq.com", "163.com", "126.com", "zoho.com", "fastmail.com",
        "hey.com", "tutanota.com", "users.noreply.github.com",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that the registry names for the release, and what became of its signature."""

    report: Report
    registered: tuple[Certificate, ...]
    verdict: Verdict | None

    @property
    def fingerprints(self) -> tuple[str, ...]:
        return tuple(key.primary.fingerprint for key in self.registered)

    @property
    def signer(self) -> Certificate | None:
        """The certificate that signed, if it is a registered one."""
        return self.verdict.certificate if self.verdict and self.verdict.kind not in UNREGISTERED else None


def keys_of(subject: Subject, sources: Sources) -> Keys:
    """Return the keys of the release, read once in a run."""
    report = report_of(subject, sources)
    packages = [platform.package for platform in offered(report.release) if platform.package]
    armored = dict.fromkeys(key.ascii_armor for package in packages for key in package.keys)
    registered = {key.primary.fingerprint: key for text in armored for key in _read_keys(text)}
    verdict = next((platform.verdict for platform in offered(report.release) if platform.verdict), None)
    return Keys(report, tuple(registered.values()), verdict)


def _read_keys(armored: str) -> list[Certificate]:
    try:
        return keyrings.read_armored(armored.encode())
    except (ArmorError, PacketError, LimitError):
        return []


@check(
    "keys.registered",
    title=gettext_noop("Signed by a registered key"),
    advice=gettext_noop(
        "Add the public key that signs your releases to the registry, or sign with the one that is there."
    ),
    help=SIGNING,
)
def registered(subject: Subject, sources: Sources) -> Result:
    """The key that signed is among those that the registry names for this provider."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    keys = keys_of(subject, sources)
    verdict = keys.verdict
    if verdict is None:
        return finished(NOTHING, keys.report)
    seen = tuple(Evidence("Registered", f"{key.primary.label}, {key.primary.fingerprint}") for key in keys.registered)
    if verdict.signature is not None:
        seen += (Evidence("Signed by", verdict.signature.issuer),)
    if verdict.kind in UNREGISTERED:
        return finished(Result(Outcome.FAIL, SENTENCES[verdict.kind], seen), keys.report)
    if verdict.certificate is None:
        return finished(Result(Outcome.NOT_RUN, "There is no signature that names a key.", seen), keys.report)
    good = f"Signed by {verdict.certificate.primary.key_id}, which is registered."
    return finished(Result(Outcome.PASS, good, seen), keys.report)


@check(
    "keys.expiry",
    title=gettext_noop("End of the keys"),
    advice=gettext_noop(
        "Extend the key's end, or add its successor to the registry beside it, and sign the next release with that."
    ),
    help=SIGNING,
)
def expiry(subject: Subject, sources: Sources) -> Result:
    """No registered key ends within 90 days; 30 and 7 days before the end are said too."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    keys = keys_of(subject, sources)
    if not keys.registered:
        return finished(NOTHING, keys.report)
    ends = {key.primary.fingerprint: _find_end(key, keys.verdict) for key in keys.registered}
    found = [remark for fingerprint, end in ends.items() for remark in _forecast(fingerprint, end, subject.now)]
    seen = tuple(
        Evidence(f"Key {f[-16:]}", f"ends on {end:%Y-%m-%d}" if end else "never ends") for f, end in ends.items()
    )
    return finished(result(found, "No registered key ends within 90 days.", seen), keys.report)


def _find_end(key: Certificate, verdict: Verdict | None) -> datetime | None:
    """Return when the key can no longer sign: the end of the primary key, or of the subkey that signed."""
    is_signer = verdict is not None and verdict.signer is not None and verdict.signer in key.keys
    return verdict.expires_at if verdict is not None and is_signer else key.expires_at


def _forecast(fingerprint: str, end: datetime | None, now: datetime) -> Iterator[Remark]:
    if end is None:
        return
    days, name = (end - now).total_seconds() / DAY, f"The key {fingerprint[-16:]}"
    if days <= 0:
        yield warn("expired", f"{name} expired on {end:%Y-%m-%d}.")
    elif soon := next((words for limit, words in FORECASTS if days <= limit), ""):
        yield warn(f"expires {soon}", f"{name} expires {soon}, on {end:%Y-%m-%d}.")


@check(
    "keys.rotation",
    title=gettext_noop("Change of the key"),
    advice=gettext_noop(
        "Keep the old key registered beside the new one for some releases, and tell the program why it changed."
    ),
    help=SIGNING,
    accepts=NEW_KEY,
)
def rotation(subject: Subject, sources: Sources) -> Result:
    """A new key takes over while the old one is still registered; another change is a matter for people."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    keys = keys_of(subject, sources)
    if keys.signer is None:
        return finished(Result(Outcome.NOT_RUN, "No registered key signed, so there is none to compare."), keys.report)
    history = _history(subject.known.get(SIGNERS))
    now = _grown(history, keys, subject.now)
    seen = tuple(Evidence(f"Since {one['since']}", f"{one['fingerprint']}, {one['version']}") for one in reversed(now))
    found = _change(now, keys, subject)
    good = f"The key {now[-1]['fingerprint'][-16:]} signs since {now[-1]['since']}."
    said = finished(result(found, good, seen), keys.report)
    state = (*said.looked_at, (NEW_KEY, now[-1]["fingerprint"])) if found else said.looked_at
    return Result(said.outcome, said.summary, said.evidence, state, remember={SIGNERS: now})


def _history(value: Any) -> list[dict[str, str]]:
    entries = value if isinstance(value, list) else []
    wanted = ("fingerprint", "since", "version", "swapped")
    return [{key: str(one.get(key, "")) for key in wanted} for one in entries if isinstance(one, dict)]


def _grown(history: list[dict[str, str]], keys: Keys, now: datetime) -> list[dict[str, str]]:
    """The history with the key that signs now. `swapped`: the day on which it came while the old one was gone."""
    fingerprint = keys.signer.primary.fingerprint if keys.signer else ""
    if history and history[-1]["fingerprint"] == fingerprint:
        return history
    day = f"{now:%Y-%m-%d}"
    swapped = day if history and history[-1]["fingerprint"] not in keys.fingerprints else ""
    entry = {"fingerprint": fingerprint, "since": day, "version": keys.report.release.version, "swapped": swapped}
    return [*history, entry][-MOST_SIGNERS:]


def _change(history: list[dict[str, str]], keys: Keys, subject: Subject) -> list[Remark]:
    last, before = history[-1], history[-2]["fingerprint"] if len(history) > 1 else ""
    is_accepted = last["fingerprint"] == subject.accepted("keys.rotation")
    if not last["swapped"] or is_accepted or before in keys.fingerprints:
        return []
    since = datetime.fromisoformat(last["swapped"]).replace(tzinfo=UTC)
    if subject.standing != "verified" and subject.now - since > WATCHED:
        return []
    said = f"Another key signs since {last['since']}, and the old one, {before[-16:]}, is no longer registered."
    return [(fail if subject.standing == "verified" else warn)("swapped", said)]


@check(
    "keys.personal",
    title=gettext_noop("Key of the company"),
    advice=gettext_noop(
        "Make a key for the company, with an address that outlives any one person's work there, and register it."
    ),
)
def personal(subject: Subject, sources: Sources) -> Result:
    """The key that signs belongs to the company, as far as its names show."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    keys = keys_of(subject, sources)
    if keys.signer is None:
        return finished(Result(Outcome.NOT_RUN, "No registered key signed, so there is none to look at."), keys.report)
    domains = [domain for user in keys.signer.user_ids if (domain := domain_of(user))]
    seen = tuple(Evidence("Owner of the key", user) for user in keys.signer.user_ids[:5])
    found: list[Remark] = []
    if not domains:
        found = [warn("nobody", "The key names no mail address, so nobody can tell whose it is.")]
    elif all(domain in PRIVATE_MAIL for domain in domains):
        found = [warn("personal", f"The key is a person's own: its address is at {domains[0]}.")]
    elif (home := _host(subject.homepage)) and not any(_related(home, domain) for domain in domains):
        seen += (Evidence("Home page", home, subject.homepage),)
    return finished(result(found, f"The key names {domains[0] if domains else 'nobody'}.", seen), keys.report)


def domain_of(user_id: str) -> str:
    """The domain of the mail address in a user id; blank where there is none."""
    address = user_id.rpartition("<")[2].rstrip(">").strip()
    return address.rpartition("@")[2].lower() if "@" in address else ""


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").removeprefix("www.")


def _related(one: str, other: str) -> bool:
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")
