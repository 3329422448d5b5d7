"""Tests of the run task test command."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.verification.testruns.endpoints import KEY, serve_endpoint
from verification.testruns.kinds.run_task.protocol import STAGES

UNREACHABLE_CALLBACKS = (
    "The endpoint can't send results to {}. Set --callback-base to a URL at which it reaches the address of --listen."
)


def run_command(*arguments: str) -> tuple[int, str, str]:
    """Run the command. Return its exit code, standard output, and standard error."""
    out = StringIO()
    err = StringIO()
    code = 0
    try:
        call_command("run_test", "run-task", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(str(end.code))
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    return str(path)


def test_good_endpoint_is_reported_as_json(key: str) -> None:
    with serve_endpoint() as server:
        stages = ("--stages", "pre_plan", "post_apply")
        code, out, err = run_command(server.url, "--hmac-key-file", key, *stages, "--json")
    data: dict[str, Any] = json.loads(out)
    assert (code, data["outcome"], data["is_signed"]) == (0, "pass", True)
    assert [(each["stage"], each["result"]) for each in data["effects"]] == [
        ("Pre-plan", "passed"),
        ("Pre-plan", "failed"),
        ("Post-apply", "passed"),
        ("Post-apply", "failed"),
    ]
    assert "Verification request: 200 OK" in err
    assert KEY not in out + err


@pytest.mark.parametrize(
    "stage_arguments", [["post_plan,pre_plan"], ["pre_plan", "post_plan"], ["pre_plan,", "post_plan"]]
)
def test_stages_are_read_with_spaces_and_with_commas(stage_arguments: list[str]) -> None:
    with serve_endpoint(key="") as server:
        _, out, _ = run_command("--json", server.url, "--stages", *stage_arguments)
    acts = [each["key"] for each in json.loads(out)["effects"]]
    assert acts == ["passing.pre_plan", "failing.pre_plan", "passing.post_plan", "failing.post_plan"]


def test_silence_option_sets_the_longest_silence() -> None:
    with serve_endpoint(key="") as server:
        _, out, _ = run_command(server.url, "--json", "--minutes", "30", "--silence", "0.5")
    summary_by_rule = {each["rule"]: each["summary"] for each in json.loads(out)["results"]}
    assert summary_by_rule["progress"].endswith(" of 30 seconds.")


def test_empty_key_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("\n")
    with pytest.raises(CommandError) as refusal:
        run_command("http://127.0.0.1:9/", "--hmac-key-file", str(tmp_path / "key"))
    message = "is empty. Omit --hmac-key-file to send unsigned requests."
    assert str(refusal.value) == f"{tmp_path / 'key'} {message}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--stages", "post_plan", "http://127.0.0.1:9/"),
            "http://127.0.0.1:9/ was read as a stage. Write the URL first, or separate the stages with commas.",
        ),
        ((), "Enter the endpoint's URL. For example, https://run.acme.io/run-task."),
        (("--stages", "post_plan"), "Enter the endpoint's URL. For example, https://run.acme.io/run-task."),
    ],
)
def test_missing_url_is_reported(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError) as refusal:
        run_command(*arguments)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nonsense",), "nonsense is not a valid URL. Use the format https://host.example/path, without a username."),
        (("https://10.0.0.1/",), "10.0.0.1 is a private address. Use a public host."),
        (("https://run.acme.io/",), UNREACHABLE_CALLBACKS.format("127.0.0.1")),
        (("https://run.acme.io/", "--listen", "0.0.0.0:8700"), UNREACHABLE_CALLBACKS.format("0.0.0.0")),
        (
            ("https://run.acme.io/", "--callback-base", "http://localhost:8700"),
            UNREACHABLE_CALLBACKS.format("localhost"),
        ),
    ],
)
def test_unusable_url_is_a_wrong_argument_and_no_failure(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError) as refusal:
        run_command(*arguments)
    assert (str(refusal.value), refusal.value.returncode) == (message, 2)


def test_report_without_a_run_has_no_effects() -> None:
    code, out, _ = run_command("http://127.0.0.1:9/")
    assert (code, "Effect on runs" in out, "Requests and responses" in out) == (1, False, True)


def test_faulty_endpoint_is_reported_as_text(key: str) -> None:
    with serve_endpoint("always-passes") as server:
        code, out, _ = run_command(server.url, "--hmac-key-file", key)
    assert code == 1
    assert "FAIL     Failing run fails: Post-plan: the run should fail, but it passed." in out


@pytest.mark.parametrize("url", ["run.acme.io/run-task", "ftp://run.acme.io/run-task", "https://", "http://["])
def test_argument_that_is_no_url_is_a_usage_error(url: str) -> None:
    with pytest.raises(CommandError) as refusal:
        run_command(url)
    message = f"{url} is not a valid URL. Use the format https://host.example/path, without a username."
    assert (str(refusal.value), refusal.value.returncode) == (message, 2)


def test_plan_that_is_not_json_is_a_usage_error(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("No changes.")
    with pytest.raises(CommandError) as refusal:
        run_command("http://127.0.0.1:9/", "--passing-plan", str(plan))
    message = f"{plan} isn't valid JSON. Save it with “terraform show -json PLAN”."
    assert (str(refusal.value), refusal.value.returncode) == (message, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hmac-key-file", "nowhere"), "Cannot read nowhere: No such file or directory."),
        (("--stages", "post_plan,apply"), f"“apply” isn't a stage. The stages are {', '.join(STAGES)}."),
        (("--stages", ","), f"No stage selected. The stages are {', '.join(STAGES)}."),
        (("--listen", "here"), "Write --listen as HOST:PORT. For example, 127.0.0.1:8700."),
        (("--listen", "127.0.0.1:0000065536"), "Write --listen as HOST:PORT. For example, 127.0.0.1:8700."),
        (("--callback-base", "http://["), "Write --callback-base as a URL. For example, https://portal.acme.io."),
        (("--listen", "127.0.0.1:65536"), "Write --listen as HOST:PORT. For example, 127.0.0.1:8700."),
    ],
)
def test_wrong_arguments_are_explained(arguments: tuple[str, str], message: str) -> None:
    with pytest.raises(CommandError) as refusal:
        run_command("http://127.0.0.1:9/", *arguments)
    assert (str(refusal.value), refusal.value.returncode) == (message, 2)
