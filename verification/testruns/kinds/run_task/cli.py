"""Command line of the run task test: its execution, and the details of its report."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from portal.core.cli import build_usage_error, read_text_file
from portal.core.value_types import NamedValues
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task.driver import run_test
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.local_server import open_callback_server
from verification.testruns.kinds.run_task.protocol import SCENARIOS, STAGES, RunTaskTarget
from verification.testruns.kinds.run_task.records import RunTaskLimits, RunTaskRecords

MAX_PLAN_BYTES = 5_000_000
MAX_PORT = 65535
MAX_PORT_DIGITS = 5
ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 - a server can listen on it, but no one can send a request to it


def run(options: NamedValues, report_progress: Callable[[str], None]) -> RunTaskRecords:
    """Run the test. Raises CommandError."""
    target = _build_target(options)
    host, _, port = options["listen"].rpartition(":")
    host = host or "127.0.0.1"
    # int() raises an error of its own for thousands of digits.
    if not port.isdecimal() or len(port) > MAX_PORT_DIGITS or int(port) > MAX_PORT:
        raise build_usage_error("Write --listen as HOST:PORT. For example, 127.0.0.1:8700.")
    _require_reachable_callbacks(target.url, _get_host(options["callback_base"]) or host)
    try:
        with open_callback_server(target, host, int(port), options["callback_base"]) as store:
            return run_test(
                store,
                # Endpoints under development run on the same machine, where plain HTTP is allowed.
                OutboundClient(loopback=True),
                lambda exchange: report_progress(f"{exchange.title}: {exchange.line}"),
            )
    except OSError as error:
        raise build_usage_error(f"Can't listen on {options['listen']}: {error.strerror or error}.") from error


def _build_target(options: NamedValues) -> RunTaskTarget:
    stages = _parse_stages(options["stages"])
    if not options["url"]:
        raise build_usage_error("Enter the endpoint's URL. For example, https://run.acme.io/run-task.")
    try:
        urls.parse_url(options["url"], loopback=True)
    except RequestRefusedError as refusal:
        raise build_usage_error(str(refusal)) from refusal
    # Shorter limits make a trial faster. Longer ones would allow more time than the platform gives.
    end_seconds = max(1.0, min(options["minutes"], 60) * 60)
    silence_seconds = max(1.0, min(options["silence"] * 60, end_seconds, RunTaskLimits().silence_seconds))
    limits = RunTaskLimits(end_seconds=end_seconds, silence_seconds=silence_seconds)
    plans = {name: _read_plan(options[f"{name}_plan"]) for name in SCENARIOS}
    scenarios = {name: replace(each, plan=plans[name] or each.plan) for name, each in SCENARIOS.items()}
    return RunTaskTarget(options["url"], _read_key(options["hmac_key_file"]), stages, scenarios, limits)


def _get_host(base: str) -> str:
    """Return the host of --callback-base, blank without one. Raises CommandError."""
    try:
        return urlsplit(base).hostname or ""
    except ValueError as error:
        raise build_usage_error("Write --callback-base as a URL. For example, https://portal.acme.io.") from error


def _require_reachable_callbacks(url: str, callback_host: str) -> None:
    """Refuse a remote endpoint that can't reach our callback address. Its missing results would count as a failure."""
    is_local = urls.is_this_machine(callback_host) or callback_host == ALL_ADDRESSES
    if is_local and not urls.is_this_machine(urlsplit(url).hostname or ""):
        raise build_usage_error(
            f"The endpoint can't send results to {callback_host}. Set --callback-base to a URL at which it reaches the "
            "address of --listen."
        )


def _parse_stages(arguments: list[str]) -> tuple[str, ...]:
    """Return the stages in the platform's order. Raises CommandError."""
    words = [word for each in arguments for word in each.split(",") if word]
    # The option takes all following words, and so a URL that is written after it.
    url = next((word for word in words if "://" in word), "")
    if url:
        raise build_usage_error(f"{url} was read as a stage. Write the URL first, or separate the stages with commas.")
    unknown = [word for word in words if word not in STAGES]
    if unknown or not words:
        problem = f"“{unknown[0]}” isn't a stage" if unknown else "No stage selected"
        raise build_usage_error(f"{problem}. The stages are {', '.join(STAGES)}.")
    return tuple(stage for stage in STAGES if stage in words)


def _read_plan(path: Path | None) -> str:
    """Return the plan in a file, blank without a file. Raises CommandError for a file that isn't JSON."""
    plan = read_text_file(path, MAX_PLAN_BYTES)
    try:
        json.loads(plan or "{}")
    except (ValueError, RecursionError) as error:
        raise build_usage_error(f"{path} isn't valid JSON. Save it with “terraform show -json PLAN”.") from error
    return plan


def _read_key(path: Path | None) -> str:
    """Return the key in a file, blank without a file. An empty file is an error."""
    key = read_text_file(path, MAX_PLAN_BYTES).strip()
    if path is not None and not key:
        raise build_usage_error(f"{path} is empty. Omit --hmac-key-file to send unsigned requests.")
    return key


def list_details(records: RunTaskRecords) -> Iterator[str]:
    """Yield the effects, and one line per exchange and callback."""
    effects = list(build_effects(records))
    if effects:
        yield "Effect on runs"
    for effect in effects:
        yield f"  {effect.stage}, {effect.scenario} run, sent as {effect.level}: {effect.result or 'no result'}"
        yield f"    mandatory: {effect.mandatory}"
        yield f"    advisory:  {effect.advisory}"
    if effects:
        yield ""
    yield "Requests and responses"
    for exchange in records.exchanges:
        yield f"  {exchange.title}: {exchange.line}"
        yield from (f"    {callback.line}" for callback in records.list_callbacks(exchange.key))
