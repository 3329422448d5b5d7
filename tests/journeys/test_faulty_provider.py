"""Checks of a provider with five faults, which pass after commits and new releases fix them."""

from typing import Any

from tests.fakes import signed_releases
from tests.fakes.github.server import Repo, build_license_text
from tests.fakes.registry import Provider
from tests.journeys.walkthrough import Walkthrough
from verification.checks.models import CheckResult

REPOSITORY = "acme/terraform-provider-rocket"
FAULTS = {
    "repository.license": "A reviewer decides: Line",  # the license has an additional line
    "release.files": "terraform-provider-rocket_1.0.0_SHA256SUMS.sig is missing. Attach it to the release.",
    "release.protocols": "The manifest and the registry declare different protocols.",
    "keys.registered": "The key that signed isn't registered for this provider.",
    "release.archive": "The checksum of the archive doesn't match the signed one. The archive was replaced.",
}
MANIFEST = '{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}'
REQUIREMENT_IDS = ("TP-LIC", "TP-SRC", "TP-REL", "TP-AUTH", "TP-KEY", "TP-PUB")
CONSEQUENCES = {  # checks that have no result without a registered key
    "release.signature",
    "release.key",
    "release.terraform",
    "keys.rotation",
    "keys.personal",
}


def build_faulty_release() -> signed_releases.SignedRelease:
    """Build version 1.0.0: an outdated manifest, an unregistered key, and an archive replaced after signing."""
    release = signed_releases.build_release(
        "rocket",
        "1.0.0",
        signer=signed_releases.build_key("Bob Bolt <bob@old.example>"),
        keys=[signed_releases.build_key()],
    )
    release.protocols = ("6.0",)
    archive = next(name for name in release.files if name.endswith(".zip"))
    signed_checksum = release.build_package_response("", "linux_amd64")["shasum"]
    release.files[archive] = signed_releases.build_zip(
        {"terraform-provider-rocket_v1.0.0": signed_releases.build_program_header("linux", "amd64") + b"new"}
    )
    release.package = {"shasum": signed_checksum}
    return release


def publish_on_github(github: Any, release: signed_releases.SignedRelease, *, except_suffix: str = "nothing") -> None:
    number = github.create_release(REPOSITORY, f"v{release.version}")
    for name, content in release.files.items():
        if not name.endswith(except_suffix):
            github.upload_asset(REPOSITORY, number, f"v{release.version}", name, content)


def list_failed_checks(walkthrough: Walkthrough) -> set[str]:
    """Return the checks of the last run that did not pass, without those that only warn."""
    check_keys = {key for id in REQUIREMENT_IDS for key in walkthrough.row.edition.get_requirement(id).checks}
    newest = CheckResult.objects.filter(integration=walkthrough.row, key__in=check_keys).newest()
    return {result.key for result in newest if result.outcome not in ("pass", "warn")}


def rerun_checks(walkthrough: Walkthrough) -> set[str]:
    page = walkthrough.partner.go(f"/checks/{walkthrough.row.uuid}/")
    page.press("Run checks again").sees("Checks are running")  # the page stays open
    walkthrough.run_jobs()
    walkthrough.partner.go(f"/checks/{walkthrough.row.uuid}/")
    return list_failed_checks(walkthrough)


def test_provider_passes_after_five_faults_are_fixed_one_by_one(
    walkthrough: Walkthrough, github: Any, registry: Any
) -> None:
    github.seed(Repo(REPOSITORY, "Rockets as code.", releases=()))
    github.commit_file(REPOSITORY, "LICENSE", build_license_text("MPL-2.0") + "\nNot for production use.\n")
    first = build_faulty_release()
    publish_on_github(github, first, except_suffix=".sig")
    provider = Provider("acme/rocket", protocols=("6.0",), releases={"1.0.0": first})
    registry.publish(provider)
    walkthrough.start_integration(
        "Do you want users to manage resources on your platform",
        repository=REPOSITORY,
        name="Rocket",
        category="Networking",
        offering="Open Source",
    )

    partner = walkthrough.partner.go(f"/checks/{walkthrough.row.uuid}/")
    partner.sees(*FAULTS.values()).sees(
        "Terraform would refuse it on linux_amd64: archive has incorrect checksum"
    ).shot("five-faults")
    assert list_failed_checks(walkthrough) >= set(FAULTS)
    # the registry shows the fault of the manifest too
    assert list_failed_checks(walkthrough) <= {*FAULTS, *CONSEQUENCES, "registry.protocols"}

    # a commit does not change a release
    github.commit_file(REPOSITORY, "LICENSE", build_license_text("MPL-2.0"))
    github.commit_file(REPOSITORY, "terraform-registry-manifest.json", MANIFEST)
    assert "repository.license" in rerun_checks(walkthrough)

    # the second release contains both commits and is complete, but is still signed with an unregistered key
    second = signed_releases.build_release(
        "rocket", "1.0.1", protocols=("6.0",), signer=signed_releases.build_key("Bob Bolt <bob@old.example>")
    )
    second.keys = first.keys
    publish_on_github(github, second)
    provider.versions = ("1.0.0", "1.0.1")
    provider.releases["1.0.1"] = second
    assert rerun_checks(walkthrough) == {"keys.registered", *CONSEQUENCES}
    partner.sees(FAULTS["keys.registered"]).sees(
        "Terraform would refuse it on linux_amd64: authentication signature from unknown"
    )

    third = signed_releases.build_release("rocket", "1.0.2", protocols=("6.0",))
    publish_on_github(github, third)
    provider.versions = ("1.0.0", "1.0.1", "1.0.2")
    provider.releases["1.0.2"] = third
    assert rerun_checks(walkthrough) == set()
    partner.does_not_see(*FAULTS.values()).sees("Terraform would install it.").shot("five-faults-fixed")
    statuses = {state.status for state in walkthrough.row.fulfillments.filter(requirement_id__in=REQUIREMENT_IDS)}
    assert statuses <= {"pass", "warn"}
