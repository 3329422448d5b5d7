"""Tests of the checks of a repository's Go code."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, build_code_sources, build_snapshot
from verification.checks import rules
from verification.checks.types import CHECKS, get_description
from verification.outcomes import Outcome
from verification.sources.errors import AccessDeniedError, SourceNotFoundError, SourceUnavailableError

KEYS = [key for key in CHECKS if key.partition(".")[0] in ("go", "guide")]
GO_MOD = "module github.com/acme/terraform-provider-rocket\n\ngo 1.22\n\nrequire (\n{}\n)\n"
FRAMEWORK = "\tgithub.com/hashicorp/terraform-plugin-framework v1.4.0"
SDK = "\tgithub.com/hashicorp/terraform-plugin-sdk/v2 v2.30.0"
FIRST_SDK = "\tgithub.com/hashicorp/terraform-plugin-sdk v1.17.2"
LOW_LEVEL = "\tgithub.com/hashicorp/terraform-plugin-go v0.20.0"
TERRAFORM = "\tgithub.com/hashicorp/terraform v0.12.31"
TESTING = "\tgithub.com/hashicorp/terraform-plugin-testing v1.5.1"
CLIENT = "\tgithub.com/acme/rocket-go v0.3.0"
WORKFLOW = ".github/workflows/test.yml"
NIGHTLY = "on:\n  schedule:\n    - cron: '0 2 * * *'\njobs:\n  a:\n    steps:\n      - run: go test ./...\n"


def build_go_mod(*lines):
    return {"go.mod": GO_MOD.format("\n".join(lines))}


def get_outcome(key, texts, *, is_truncated=False, **fields):
    sources = build_code_sources(texts, is_truncated=is_truncated, **fields)
    return CHECKS[key].run(SUBJECT, sources).outcome


def test_code_checks_are_registered():
    assert rules.__all__
    assert len(KEYS) == 13


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_raised(key):
    with pytest.raises(SourceUnavailableError):
        CHECKS[key].run(
            SUBJECT,
            FakeSources(repository_answer=SourceUnavailableError("Down."), code_answer=SourceUnavailableError("Down.")),
        )


@pytest.mark.parametrize("key", KEYS)
def test_blank_repository_fails_without_a_request(key):
    sources = FakeSources()
    result = CHECKS[key].run(replace(SUBJECT, repository=""), sources)
    assert (result.outcome, result.advice) == (
        Outcome.FAIL,
        "Add the repository URL to the details of the integration.",
    )
    assert sources.requested_addresses == []


@pytest.mark.parametrize("key", [key for key in KEYS if key != "guide.organization"])
def test_truncated_list_of_files_is_not_run(key):
    assert get_outcome(key, {"a.txt": ""}, is_truncated=True) == Outcome.NOT_RUN


@pytest.mark.parametrize("key", [key for key in KEYS if key != "guide.organization"])
def test_repository_without_code_does_not_pass(key):
    assert get_outcome(key, {"README.md": ""}) in (Outcome.WARN, Outcome.NOT_RUN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GO_MOD.format(""), Outcome.PASS),
        ("module github.com/Acme/Terraform-Provider-Rocket/v2\n", Outcome.PASS),
        ("module github.com/acme/terraform-provider-rocketry\n", Outcome.WARN),
        ("module example.com/rocket\n", Outcome.WARN),
        ("go 1.22\n", Outcome.WARN),
    ],
)
def test_module_path_must_match_the_repository(text, expected):
    assert get_outcome("go.module", {"go.mod": text}) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [((FRAMEWORK,), Outcome.PASS), ((FRAMEWORK, SDK), Outcome.WARN), ((SDK,), Outcome.WARN), ((), Outcome.WARN)],
)
def test_plugin_framework_is_required(lines, expected):
    assert get_outcome("go.framework", build_go_mod(*lines)) == expected


@pytest.mark.parametrize(
    ("lines", "outcome", "summary"),
    [
        ((FRAMEWORK, SDK), Outcome.PASS, "The provider uses github.com/hashicorp/terraform-plugin-framework v1.4.0."),
        ((SDK,), Outcome.PASS, "The provider uses github.com/hashicorp/terraform-plugin-sdk/v2 v2.30.0."),
        ((FIRST_SDK, SDK), Outcome.PASS, "The provider uses github.com/hashicorp/terraform-plugin-sdk/v2 v2.30.0."),
        (
            (FIRST_SDK,),
            Outcome.WARN,
            "github.com/hashicorp/terraform-plugin-sdk v1.17.2 is no longer maintained as a plugin library.",
        ),
        (
            (TERRAFORM,),
            Outcome.WARN,
            "github.com/hashicorp/terraform v0.12.31 is no longer maintained as a plugin library.",
        ),
        ((LOW_LEVEL,), Outcome.PASS, "The provider uses github.com/hashicorp/terraform-plugin-go v0.20.0."),
        ((CLIENT,), Outcome.WARN, "go.mod requires none of the plugin libraries."),
    ],
)
def test_plugin_library_must_be_maintained(lines, outcome, summary):
    result = CHECKS["go.plugin_library"].run(SUBJECT, build_code_sources(build_go_mod(*lines)))
    assert (result.outcome, result.summary) == (outcome, summary)


@pytest.mark.parametrize(
    ("lines", "files", "expected"),
    [
        ((TESTING,), {"a_test.go": ""}, Outcome.PASS),
        ((SDK,), {"a_test.go": ""}, Outcome.PASS),
        ((FRAMEWORK,), {"a_test.go": ""}, Outcome.WARN),
        ((TESTING,), {"a.go": ""}, Outcome.WARN),
    ],
)
def test_acceptance_tests_need_a_library_and_test_files(lines, files, expected):
    assert get_outcome("go.acceptance_tests", build_go_mod(*lines) | files) == expected


@pytest.mark.parametrize(("files", "expected"), [({"a_test.go": ""}, Outcome.PASS), ({"a.go": ""}, Outcome.WARN)])
def test_tests_are_required(files, expected):
    assert get_outcome("go.tests", files) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({WORKFLOW: NIGHTLY.replace("go test ./...", "echo")}, Outcome.WARN),
        ({WORKFLOW: NIGHTLY.replace("* * *", "* * 0")}, Outcome.WARN),
        ({WORKFLOW: "on: push\n"}, Outcome.WARN),
        ({"test.yml": NIGHTLY}, Outcome.WARN),
        ({f".github/workflows/{n}.yml": "on: push\n" for n in range(21)}, Outcome.NOT_RUN),
    ],
)
def test_nightly_workflow_must_run_the_tests(files, expected):
    assert get_outcome("go.nightly", files) == expected


UNKNOWN_STATE_SUMMARY = (
    f"{WORKFLOW} has a nightly schedule for the tests, but GitHub doesn't show whether it is enabled."
)


@pytest.mark.parametrize(
    ("states", "outcome", "summary"),
    [
        ({WORKFLOW: "active"}, Outcome.PASS, f"{WORKFLOW} runs the tests every night."),
        ({"other.yml": "active"}, Outcome.NOT_RUN, UNKNOWN_STATE_SUMMARY),
        ({WORKFLOW: "disabled_manually"}, Outcome.WARN, f"{WORKFLOW} is disabled on GitHub, so it doesn't run."),
        (
            {WORKFLOW: "disabled_inactivity"},
            Outcome.WARN,
            f"GitHub disabled {WORKFLOW} because the repository was inactive, so it doesn't run.",
        ),
        (AccessDeniedError("No access."), Outcome.NOT_RUN, UNKNOWN_STATE_SUMMARY),
        (SourceNotFoundError("No Actions."), Outcome.NOT_RUN, UNKNOWN_STATE_SUMMARY),
    ],
)
def test_nightly_workflow_passes_only_if_github_shows_that_it_is_enabled(states, outcome, summary):
    sources = FakeSources(code_answer=build_snapshot({WORKFLOW: NIGHTLY}), workflow_states_answer=states)
    result = CHECKS["go.nightly"].run(SUBJECT, sources)
    assert (result.outcome, result.summary) == (outcome, summary)


def test_advice_for_a_workflow_of_unknown_state_is_not_to_add_a_schedule():
    sources = FakeSources(code_answer=build_snapshot({WORKFLOW: NIGHTLY}), workflow_states_answer={})
    result = CHECKS["go.nightly"].run(SUBJECT, sources)
    assert result.advice == "On the repository's Actions page, check that the workflow is enabled."


@pytest.mark.parametrize(
    ("states", "outcome"),
    [
        (("disabled_manually", "active"), Outcome.PASS),
        (("disabled_manually", ""), Outcome.NOT_RUN),
        (("disabled_manually", "disabled_manually"), Outcome.WARN),
    ],
)
def test_one_of_several_nightly_workflows_must_be_enabled(states, outcome):
    paths = [".github/workflows/a.yml", ".github/workflows/b.yml"]
    known_states = {path: state for path, state in zip(paths, states, strict=True) if state}
    sources = FakeSources(
        code_answer=build_snapshot(dict.fromkeys(paths, NIGHTLY)), workflow_states_answer=known_states
    )
    assert CHECKS["go.nightly"].run(SUBJECT, sources).outcome == outcome


def test_nightly_workflow_is_read_from_the_default_branch():
    sources = FakeSources(code_answer=build_snapshot({WORKFLOW: NIGHTLY}))
    CHECKS["go.nightly"].run(SUBJECT, sources)
    assert sources.requested_addresses[:2] == ["acme/terraform-provider-rocket", "acme/terraform-provider-rocket@main"]


def test_main_file_must_be_in_the_root_folder():
    assert get_outcome("guide.main", {"main.go": ""}) == Outcome.PASS
    assert get_outcome("guide.main", {"cmd/main.go": ""}) == Outcome.WARN


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("provider.go",), Outcome.PASS),
        (("internal/provider/provider.go", "vendor/a/provider.go"), Outcome.PASS),
        (("vendor/a/provider.go",), Outcome.WARN),
        (("internal/provider/provider_test.go",), Outcome.WARN),
    ],
)
def test_provider_file_is_required(paths, expected):
    assert get_outcome("guide.provider", dict.fromkeys(paths, "")) == expected


def test_advice_about_resources_names_the_structures_file():
    assert "structures_NAME.go" in get_description("guide.resources").advice


def test_files_of_resources_need_the_prefix():
    assert get_outcome("guide.resources", {"internal/resource_server.go": ""}) == Outcome.PASS
    assert get_outcome("guide.resources", {"internal/server.go": ""}) == Outcome.WARN


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("resource_server.go", "resource_server_test.go"), Outcome.PASS),
        (("resource_server.go", "resource_server_test.go", "resource_disk.go"), Outcome.WARN),
        (("server.go",), Outcome.NOT_RUN),
    ],
)
def test_every_resource_needs_a_test_file(files, expected):
    assert get_outcome("guide.tests", dict.fromkeys(files, "")) == expected


def test_client_library_is_required():
    assert get_outcome("guide.client", build_go_mod(FRAMEWORK, CLIENT)) == Outcome.PASS
    assert get_outcome("guide.client", build_go_mod(FRAMEWORK, TESTING)) == Outcome.WARN


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"resource_server.go": "return err"}, Outcome.PASS),
        ({"resource_server.go": "\tpanic(err)"}, Outcome.WARN),
        ({"main.go": "\tlog.Fatal(err)"}, Outcome.NOT_RUN),
        ({"main.go": "\tlog.Fatal(err)", "provider.go": ""}, Outcome.PASS),
        ({"provider_test.go": "\tpanic(err)", "provider.go": ""}, Outcome.PASS),
    ],
)
def test_call_that_exits_the_plugin_is_a_warning(files, expected):
    assert get_outcome("guide.errors", files) == expected


def test_files_of_resources_are_read_first():
    files = {f"a{n}.go": "panic(1)" for n in range(40)} | {"resource_z.go": ""}
    sources = build_code_sources(files)
    result = CHECKS["guide.errors"].run(SUBJECT, sources)
    assert result.summary == "29 calls exit the plugin (we read 30 of 41 Go files)."


@pytest.mark.parametrize(
    ("kind", "expected"), [("Organization", Outcome.PASS), ("User", Outcome.WARN), ("", Outcome.NOT_RUN)]
)
def test_owner_must_be_an_organization(kind, expected):
    sources = FakeSources(repository_answer=replace(REPOSITORY, owner_type=kind))
    assert CHECKS["guide.organization"].run(SUBJECT, sources).outcome == expected


def test_providers_of_a_partner_in_several_organizations_are_a_warning():
    sources = FakeSources(repository_answer=replace(REPOSITORY, owner_type="Organization"))
    siblings = ("Acme/terraform-provider-lander", "acme-labs/terraform-provider-pad")
    result = CHECKS["guide.organization"].run(replace(SUBJECT, siblings=siblings), sources)
    assert (result.outcome, result.summary) == (Outcome.WARN, "The partner has 1 other provider outside of acme.")
    assert result.evidence[-1].value == "acme-labs/terraform-provider-pad"
    assert CHECKS["guide.organization"].run(replace(SUBJECT, siblings=siblings[:1]), sources).outcome == Outcome.PASS
