"""Records of a run task test: every exchange and callback, without secrets."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from portal.core.value_types import JsonObject
from verification.testruns.records import Record
from verification.testruns.rules import Rule, RuleOutcome, report_error, report_failure, report_not_run

FINAL_STATUSES = ("passed", "failed")
REDACTED_TEXT = "[redacted]"
MAX_TEXT_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class RunTaskLimits:
    """Limits in seconds.

    Attributes:
        response_seconds: Our own limit for a response, because the platform documents none.
        request_timeout_seconds: Our own limit, after which we disconnect.
        silence_seconds: Limit of the platform for the time without an update.
        end_seconds: Limit of the platform for the final result.
        correction_seconds: How long we wait for the correction of a rejected result.
        settle_seconds: How long we wait for a second result after the last one.
    """

    # HashiCorp's own scaffolding for run tasks responds only after its work, so a late response is a warning at first.
    response_seconds: float = 10
    request_timeout_seconds: float = 30
    silence_seconds: float = 600
    end_seconds: float = 3600
    correction_seconds: float = 20
    settle_seconds: float = 1


@dataclass(frozen=True, slots=True)
class ParsedCallback(Record):
    """A callback body, with its problems and those of its outcomes. `length_problems`: values that are too long.

    `notes`: contradictions between documents, and the reading that applies.
    """

    status: str = ""
    message: str = ""
    url: str = ""
    outcomes: tuple[JsonObject, ...] = ()
    form_problems: tuple[str, ...] = ()
    length_problems: tuple[str, ...] = ()
    outcome_problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        return self.form_problems + self.length_problems + self.outcome_problems


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackRecord(ParsedCallback):
    """A request to our callback URL. `elapsed_seconds`: since its run was sent. `response_status`: of our response.

    `token`: valid, missing, unknown, other_run, used (after a final result), or expired.
    """

    key: str
    elapsed_seconds: float
    method: str
    response_status: int
    token: str
    content_type: str = ""
    size: int = 0
    body: str = ""

    @property
    def line(self) -> str:
        """Return a summary: "running after 0.2 s, response 200"."""
        return f"{self.status or self.method} after {self.elapsed_seconds:.1f} s, response {self.response_status}"

    @property
    def is_final(self) -> bool:
        """Return whether this is the final result of its run."""
        return self.response_status == 200 and self.status in FINAL_STATUSES


@dataclass(frozen=True, slots=True)
class EndpointReply(Record):
    """A response. `status` 0: no response. `head_seconds`: until the headers arrived.

    `end_state`: complete, slow (timeout), broken (connection closed early) or endless (body too long). With status 0:
    slow, broken, unreachable (connection refused), unresolved (unknown host, or no route from here) or refused (by our
    outbound restrictions). `message` explains it.
    """

    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    head_seconds: float = 0
    seconds: float = 0
    end_state: str = "complete"
    message: str = ""

    @property
    def status_line(self) -> str:
        return f"{self.status} {self.reason}".strip() if self.status else "No response"

    @property
    def line(self) -> str:
        """Return a summary: "200 OK after 0.2 s"."""
        return f"{self.status_line} after {self.head_seconds:.1f} s"

    @property
    def reply_text(self) -> str:
        """Return the response as far as it was read."""
        return _format_message(self.status_line, self.headers, self.body)

    def find_failure(self) -> RuleOutcome | None:
        """Return the outcome of a rule that needs a response if there is none, None otherwise."""
        if self.status:
            return None
        # The failure is ours or lies in the network between, so it must not count against the partner.
        if self.end_state == "unresolved":
            return report_error(self.message)
        if self.end_state == "slow":
            return report_failure(f"The endpoint didn't respond within {self.seconds:.1f} seconds.")
        causes = {"refused": "", "unreachable": "The endpoint isn't reachable: "}
        cause = causes.get(self.end_state, "The connection closed without a response: ")
        return report_failure(f"{cause}{self.message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(EndpointReply):
    """A request and its response. `stage`, `scenario`, `level`: of a run, blank for probes."""

    key: str
    title: str
    stage: str = ""
    scenario: str = ""
    level: str = ""
    url: str
    sent_headers: tuple[tuple[str, str], ...]
    sent_body: str

    @property
    def sent_text(self) -> str:
        """Return our request as sent, redacted."""
        return _format_message(f"POST {self.url}", self.sent_headers, self.sent_body)


@dataclass(frozen=True, slots=True)
class RunTaskRecords(Record):
    """All records of a test run so far.

    Attributes:
        is_complete: Whether no more results are awaited.
        awaited_runs: Runs without a result when the test run was canceled.
    """

    exchanges: tuple[Exchange, ...] = ()
    callbacks: tuple[CallbackRecord, ...] = ()
    is_signed: bool = True
    is_complete: bool = False
    limits: RunTaskLimits = field(default_factory=RunTaskLimits)
    awaited_runs: tuple[str, ...] = ()

    @property
    def variant(self) -> str:
        return "signed" if self.is_signed else "unsigned"

    @property
    def is_verified(self) -> bool:
        """Return whether the endpoint accepted the normal verification request."""
        return any(each.key == "verify" and each.status == 200 for each in self.exchanges)

    @property
    def runs(self) -> list[Exchange]:
        return [each for each in self.exchanges if each.scenario]

    @property
    def run_callbacks(self) -> list[CallbackRecord]:
        runs = {run.key for run in self.runs}
        return [each for each in self.callbacks if each.key in runs]

    def get_exchange(self, key: str) -> Exchange | None:
        return next((each for each in self.exchanges if each.key == key), None)

    def list_callbacks(self, key: str) -> list[CallbackRecord]:
        return [each for each in self.callbacks if each.key == key]

    def get_result(self, key: str) -> CallbackRecord | None:
        """Return the first final result, which counts."""
        # The platform doesn't accept another result after passed or failed.
        return next((each for each in self.list_callbacks(key) if each.is_final), None)

    def list_rule_steps(self, rule: Rule) -> Sequence[Exchange] | RuleOutcome:
        exchanges = [exchange for key in rule.steps if (exchange := self.get_exchange(key)) is not None]
        if len(exchanges) < len(rule.steps):
            return report_not_run("We didn't send this request.")
        return next((failure for each in exchanges if (failure := each.find_failure())), exchanges)


def _format_message(first_line: str, headers: Iterable[tuple[str, str]], body: str) -> str:
    return "\n".join([first_line, *(f"{name}: {value}" for name, value in headers), *(["", body] if body else [])])


def redact_text(text: str, secrets: Iterable[str]) -> str:
    """Return the text, shortened and without secrets."""
    # The longest comes first: a secret within another one would leave the rest readable. Short values occur in any
    # text.
    for secret in sorted({each for each in secrets if len(each) > 3}, key=len, reverse=True):
        text = text.replace(secret, REDACTED_TEXT)
    # An endpoint can echo tokens that aren't in the list, such as that of another run.
    text = re.sub(r"(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{8,}", rf"\1{REDACTED_TEXT}", text).replace("\x00", "")
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"
