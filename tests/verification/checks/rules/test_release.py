"""The checks of a release, each asked of a real registry on loopback whose releases are signed by real keys."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.fakes import signed
from tests.fakes.registry import Provider, Registry
from tests.verification.checks.fake_sources import SUBJECT, code, release
from verification.checks.types import ACCEPTED_KEY_PREFIX, CHECKS
from verification.outcomes import Outcome
from verification.releases.install_layout import RECOMMENDED_PLATFORMS
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.responses import ReleaseAsset
from verification.sources.http.client import OutboundClient
from verification.sources.registry.client import RegistryClient as Client

NOW = datetime.now(UTC) + timedelta(minutes=5)  # after the releases that the tests sign
ROOMS = tuple(f"verification.checks.rules.{room}" for room in ("release", "release_history", "signing_keys"))
FAMILY = sorted(key for key, check in CHECKS.items() if check.run.__module__ in ROOMS)
REGISTRY_CHECKS = [
    key for key in FAMILY if key not in ("release.files", "release.tag")
]  # what the registry alone answers
OTHER = "Bob Bolt <bob@globex.example>"


@dataclass
class Sources:
    """The clients of one run: a real registry, a GitHub that is told what to say."""

    registry: Client
    github: Any = field(default_factory=lambda: GitHub())
    web: OutboundClient = field(default_factory=lambda: OutboundClient(loopback=True))
    kept: dict[str, Any] = field(default_factory=dict)

    def read(self, key: str, function: Callable[[], Any]) -> Any:
        return self.kept.setdefault(key, None) or self.kept.update({key: function()}) or self.kept[key]


@pytest.fixture
def publish_releases(registry_server: Registry) -> Callable[..., Sources]:
    """Publishes acme/rocket with these releases by version, and gives the clients that see it."""

    def publish(*releases: signed.Signed, **fields: Any) -> Sources:
        registry_server.reset()
        signed_release = {one.version: one for one in releases} or {"1.0.0": signed.release("rocket", "1.0.0")}
        registry_server.publish(
            Provider("acme/rocket", versions=tuple(signed_release), releases=signed_release, **fields)
        )
        return Sources(Client(registry_server.url))

    return publish


def results(sources: Sources, *keys: str, **subject: Any) -> dict[str, Any]:
    about = replace(SUBJECT, **{"now": NOW, "homepage": "https://acme.example", **subject})
    return {key: CHECKS[key].run(about, sources) for key in keys or REGISTRY_CHECKS}


def faults(sources: Sources, **subject: Any) -> dict[str, str]:
    """What is not passed."""
    check_results = results(sources, **subject)
    return {key: str(result.outcome) for key, result in check_results.items() if result.outcome != "pass"}


def rocket(version: str = "1.0.0", **options: Any) -> signed.Signed:
    return signed.release("rocket", version, **options)


def build_changed_release(end: str, change: Callable[[bytes], bytes]) -> signed.Signed:
    """A release one of whose files was changed after it was signed."""
    signed_release = rocket()
    name = next(name for name in signed_release.files if name.endswith(end))
    signed_release.files[name] = change(signed_release.files[name])
    return signed_release


def test_good_release_passes_everything(publish_releases):
    sources = publish_releases(rocket(platforms=RECOMMENDED_PLATFORMS), platforms=RECOMMENDED_PLATFORMS)
    check_results = results(sources)
    assert {key: str(result.outcome) for key, result in check_results.items()} == dict.fromkeys(REGISTRY_CHECKS, "pass")
    evidence_values = {e.label: e.value for e in check_results["release.signature"].evidence}
    assert evidence_values["Terraform"] == "Would install the release on linux_amd64"
    assert dict(check_results["release.signature"].looked_at)["version"] == "1.0.0"


def test_bytes_are_fetched_once_for_all_checks(publish_releases, registry_server):
    sources = publish_releases()
    registry_server.seen.clear()
    results(sources)
    assert len(registry_server.seen) == len(set(registry_server.seen)) == 7


@pytest.mark.parametrize(
    ("make", "expected", "terraform"),
    [
        (
            lambda: rocket(keys=[signed.key(OTHER)]),
            {
                "release.signature": "fail",
                "release.key": "not_run",
                "release.terraform": "fail",
                "keys.registered": "fail",
                "keys.rotation": "not_run",
                "keys.personal": "not_run",
            },
            "Would refuse the release on linux_amd64: authentication signature from unknown issuer",
        ),
        (
            lambda: rocket(keys=[]),
            {
                "release.signature": "fail",
                "release.key": "not_run",
                "release.terraform": "fail",
                "keys.expiry": "not_run",
                "keys.registered": "fail",
                "keys.rotation": "not_run",
                "keys.personal": "not_run",
            },
            "Would refuse the release on linux_amd64: authentication signature from unknown issuer",
        ),
        (
            lambda: build_changed_release("_SHA256SUMS", lambda text: text + b"\n"),
            {"release.checksums": "fail", "release.signature": "fail", "release.terraform": "fail"},
            "Would refuse the release on linux_amd64: error checking signature: "
            "openpgp: invalid signature: RSA verification failure",
        ),
        (
            lambda: rocket(manifest=False),
            {"release.protocols": "warn"},
            "Would install the release on linux_amd64",
        ),
    ],
)
def test_fault_is_said_in_our_words_and_in_terraforms(publish_releases, make, expected, terraform):
    sources = publish_releases(make())
    assert faults(sources) == expected
    evidence_values = {e.label: e.value for e in results(sources, "keys.registered")["keys.registered"].evidence}
    assert evidence_values["Terraform"] == terraform


def test_archive_that_was_replaced_after_the_release_is_found_by_its_digest(publish_releases):
    signed_release = rocket()
    first = results(publish_releases(signed_release), "release.unchanged")["release.unchanged"]
    assert (first.outcome, first.summary) == (Outcome.PASS, "4 files recorded for later comparison.")
    again = results(publish_releases(signed_release), "release.unchanged", known=first.observations)[
        "release.unchanged"
    ]
    assert (again.outcome, again.observations) == (Outcome.PASS, first.observations)
    other = rocket(protocols=("6.0",))  # a whole new release under the same version, signed and sound in itself
    later = results(publish_releases(other, protocols=("6.0",)), "release.unchanged", known=first.observations)[
        "release.unchanged"
    ]
    assert (later.outcome, later.observations) == (Outcome.FAIL, first.observations)
    assert "was replaced after publication" in later.summary
    anew = rocket("1.0.1", protocols=("6.0",))
    healed_result = results(publish_releases(anew, protocols=("6.0",)), "release.unchanged", known=first.observations)[
        "release.unchanged"
    ]
    assert (healed_result.outcome, set(healed_result.observations["release.digests"])) == (
        Outcome.PASS,
        {"1.0.0", "1.0.1"},
    )


def test_list_that_was_signed_again_is_pointed_out(publish_releases):
    first = results(publish_releases(), "release.unchanged")["release.unchanged"]
    observations = {"release.digests": {"1.0.0": {**first.observations["release.digests"]["1.0.0"]}}}
    name = next(name for name in observations["release.digests"]["1.0.0"] if name.endswith(".sig"))
    observations["release.digests"]["1.0.0"][name] = "ab" * 32
    assert (
        results(publish_releases(), "release.unchanged", known=observations)["release.unchanged"].outcome
        == Outcome.WARN
    )


def test_outage_forgets_no_digest(publish_releases, registry_server):
    first = results(publish_releases(), "release.unchanged")["release.unchanged"]
    sources = publish_releases()
    registry_server.fail(503, under="/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_linux")
    later = results(sources, "release.unchanged", "release.archive", known=first.observations)
    assert later["release.unchanged"].observations == first.observations
    assert later["release.archive"].outcome == Outcome.ERROR


def test_archive_that_is_the_same_file_on_github_is_not_fetched_again(publish_releases, registry_server):
    signed_release = rocket()
    base = f"{registry_server.url}/files/acme/rocket/1.0.0"
    archive = next(name for name in signed_release.files if name.endswith(".zip"))

    def again(number: int, days: int = 0, **subject: Any) -> tuple[Any, bool]:
        """What release.archive says when the file has that number on GitHub, and whether it was fetched."""
        sources = publish_releases(signed_release)
        asset = ReleaseAsset(number, archive, len(signed_release.files[archive]), f"{base}/{archive}")
        sources.github = GitHub((release("v1.0.0", assets=(asset,)),))
        check_results = results(sources, "release.archive", now=NOW + timedelta(days=days), **subject)[
            "release.archive"
        ]
        return check_results, any(path.endswith(".zip") for path in registry_server.seen)

    first, has_download = again(7)
    assert (first.outcome, has_download) == (Outcome.PASS, True)
    json.dumps(first.observations)
    second, has_download = again(7, known=first.observations)
    assert (second, has_download) == (first, False)
    assert again(8, known=first.observations)[1]
    assert again(7, days=8, known=first.observations)[1]
    signed_release.files[archive] += b"x"
    assert again(8, known=first.observations)[0].outcome == Outcome.FAIL


def test_version_that_was_reverted_is_a_step_back(publish_releases):
    first = results(publish_releases(rocket("1.2.0"), rocket("1.10.0")), "release.newest")["release.newest"]
    assert (first.outcome, first.observations) == (Outcome.PASS, {"release.newest": "1.10.0"})
    later = results(publish_releases(rocket("1.2.0"), rocket("1.9.0")), "release.newest", known=first.observations)[
        "release.newest"
    ]
    assert (later.outcome, later.missing_item, later.observations) == (Outcome.FAIL, "the version 1.10.0", {})
    assert later.summary == "The registry's newest version is 1.9.0, but it was 1.10.0 before."


def test_with_the_network_cut_nothing_passes():
    sources = Sources(Client("http://127.0.0.1:1"))
    assert {str(result.outcome) for result in results(sources).values()} <= {"error", "not_run"}


@pytest.mark.parametrize("key", FAMILY)
def test_without_a_repository_nothing_is_asked(key):
    about = replace(SUBJECT, repository="", namespace="", provider="")
    assert CHECKS[key].run(about, None).outcome == Outcome.FAIL


# -- GitHub's side of the release ----------------------------------------------------------------------------


@dataclass
class GitHub:
    releases_said: Any = ()
    code_said: Any = None

    def releases(self, full_name: str) -> Any:
        if isinstance(self.releases_said, Exception):
            raise self.releases_said
        return self.releases_said

    def code(self, full_name: str, ref: str) -> Any:
        if isinstance(self.code_said, Exception):
            raise self.code_said
        return self.code_said


def assets(*names: str, size: int = 5) -> tuple[ReleaseAsset, ...]:
    return tuple(ReleaseAsset(at, name, size, f"https://example.test/{name}") for at, name in enumerate(names))


COMPLETE = (
    "terraform-provider-rocket_1.2.0_linux_amd64.zip",
    "terraform-provider-rocket_1.2.0_manifest.json",
    "terraform-provider-rocket_1.2.0_SHA256SUMS",
    "terraform-provider-rocket_1.2.0_SHA256SUMS.sig",
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (assets(*COMPLETE), "pass"),
        (assets(*COMPLETE, size=0), "fail"),
        (assets(*COMPLETE[:3]), "fail"),
        (assets(COMPLETE[0], *COMPLETE[2:]), "warn"),
        (assets("rocket_1.2.0_linux_amd64.zip", *COMPLETE[1:]), "fail"),
        ((), "fail"),
    ],
)
def test_files_on_github(files, expected):
    github = GitHub((release("v1.1.0"), release("v1.2.0", assets=files), release("v1.3.0", draft=True)))
    assert results(Sources(None, github), "release.files")["release.files"].outcome == expected


def test_tag_that_moves_is_found():
    github = GitHub((release("v1.2.0"),), code({}))
    first = results(Sources(None, github), "release.tag")["release.tag"]
    assert (first.outcome, first.observations) == (Outcome.PASS, {"release.tags": {"v1.2.0": "9f3c1e"}})
    sources = Sources(None, replace(github, code_said=replace(code({}), commit="abcdef")))
    later = results(sources, "release.tag", known=first.observations)["release.tag"]
    assert (later.outcome, later.observations) == (Outcome.FAIL, first.observations)


@pytest.mark.parametrize("key", ["release.files", "release.tag"])
def test_outage_is_left_to_the_runner(key):
    with pytest.raises(SourceUnavailableError):
        results(Sources(None, GitHub(SourceUnavailableError("Down."))), key)


# -- keys ----------------------------------------------------------------------------------------------------

YEAR = 365 * 86400


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (200, ""),
        (300, "within 90 days"),
        (340, "within 30 days"),
        (360, "within a week"),
        (366, "expired on"),
    ],
)
def test_end_of_a_key_is_foretold(publish_releases, days, words):
    owner = signed.key("Acme <keys@acme.example>", YEAR)
    sources = publish_releases(rocket(signer=owner))
    check_results = results(sources, "keys.expiry", now=NOW + timedelta(days=days, minutes=-5))["keys.expiry"]
    assert (str(check_results.outcome), words in check_results.summary) == ("warn" if words else "pass", True)


def test_every_registered_key_is_looked_at(publish_releases):
    old = signed.key("Acme <keys@acme.example>", YEAR)
    sources = publish_releases(rocket(keys=[old, signed.key()]))
    check_results = results(sources, "keys.expiry", now=NOW + timedelta(days=364))["keys.expiry"]
    assert check_results.outcome == Outcome.WARN


def test_new_key_next_to_the_old_one_is_no_news(publish_releases):
    first = results(publish_releases(), "keys.rotation")["keys.rotation"]
    both = rocket("1.0.1", signer=signed.key(OTHER), keys=[signed.key(), signed.key(OTHER)])
    later = results(publish_releases(both), "keys.rotation", known=first.observations)["keys.rotation"]
    assert later.outcome == Outcome.PASS
    assert [one["version"] for one in later.observations["keys.signers"]] == ["1.0.0", "1.0.1"]


@pytest.mark.parametrize(("listing_status", "expected"), [("listed", "fail"), ("unlisted", "warn")])
def test_key_that_takes_the_place_of_the_old_one_is_for_people(publish_releases, listing_status, expected):
    first = results(publish_releases(), "keys.rotation")["keys.rotation"]
    swapped_release = rocket("1.0.1", signer=signed.key(OTHER))

    def after(days: int, observations: Any, signed_release: signed.Signed = swapped_release) -> Any:
        subject = {"known": observations, "listing_status": listing_status, "now": NOW + timedelta(days=days)}
        return results(publish_releases(signed_release), "keys.rotation", **subject)["keys.rotation"]

    second = after(1, first.observations)
    assert (str(second.outcome), "no longer registered" in second.summary) == (expected, True)
    assert after(20, second.observations).outcome == expected
    assert after(40, second.observations).outcome == ("fail" if listing_status == "listed" else "pass")
    assert ("new key", second.observations["keys.signers"][-1]["fingerprint"]) in second.looked_at
    accepted_deviation = {f"{ACCEPTED_KEY_PREFIX}keys.rotation": second.observations["keys.signers"][-1]["fingerprint"]}
    assert after(2, second.observations | accepted_deviation).outcome == Outcome.PASS
    explained_release = rocket("1.0.1", signer=signed.key(OTHER), keys=[signed.key(OTHER), signed.key()])
    assert after(2, second.observations, explained_release).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("Acme Releases <releases@acme.example>", "pass"),
        ("Bob Bolt <bob.bolt@gmail.com>", "warn"),
        ("Bob Bolt <1+bob@users.noreply.github.com>", "warn"),
        ("Bob Bolt", "warn"),
    ],
)
def test_key_of_a_person(publish_releases, owner, expected):
    sources = publish_releases(rocket(signer=signed.key(owner)))
    assert results(sources, "keys.personal")["keys.personal"].outcome == expected
