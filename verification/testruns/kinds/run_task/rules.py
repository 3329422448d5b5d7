"""Rules of the run task test."""

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.run_task import response_rules, result_rules
from verification.testruns.kinds.run_task.judging import RunTaskRule
from verification.testruns.kinds.run_task.records import RunTaskRecords
from verification.testruns.rule_results import RuleResult

RULES_VERSION = 1
RULES = (
    RunTaskRule(
        "verification",
        "Verification request returns 200",
        "If the access token is “test-token”, return 200 with an empty body before any work.",
        response_rules.check_verification,
    ),
    RunTaskRule(
        "verification.quiet",
        "No result for verification requests",
        "If the access token is “test-token”, stop after the 200. There is no run to report on.",
        response_rules.check_verification_silence,
    ),
    RunTaskRule(
        "signature.unsigned",
        "Unsigned request rejected",
        "Return 401 if X-TFC-Task-Signature is missing or blank and your run task has a key.",
        response_rules.check_unsigned_request,
    ),
    RunTaskRule(
        "signature.wrong",
        "Wrong signature rejected",
        "Compare the header with the HMAC-SHA512 of the body in constant time. Return 401 if they differ.",
        response_rules.check_wrong_signature,
    ),
    RunTaskRule(
        "signature.raw",
        "Signature of the raw body",
        "Compute the HMAC of the raw body before you parse it. A re-encoded document has different bytes.",
        response_rules.check_raw_signature,
    ),
    RunTaskRule(
        "malformed",
        "Invalid JSON rejected",
        "Return 400 if the body can't be parsed.",
        response_rules.check_malformed,
    ),
    RunTaskRule(
        "future",
        "New stages and fields accepted",
        "Ignore unknown fields, and respond to verification requests for any stage.",
        response_rules.check_future,
    ),
    RunTaskRule(
        "answer",
        "Every run returns 200",
        "Return 200 as soon as you accept the request, at the exact registered URL.",
        response_rules.check_run_answers,
    ),
    RunTaskRule(
        "first_answer",
        "Timely first response",
        "Respond first and work afterwards. The limit of 10 seconds is ours. No document specifies one.",
        response_rules.check_first_answer,
    ),
    RunTaskRule(
        "body",
        "Complete response body",
        "Return an empty body, or set Content-Length.",
        response_rules.check_body_end,
    ),
    RunTaskRule(
        "token",
        "Result with the run's own token",
        "Send “Authorization: Bearer” with the access_token of the same request.",
        result_rules.check_token,
    ),
    RunTaskRule(
        "form",
        "JSON:API result sent with PATCH",
        "Send {“data”: {“type”: “task-results”, “attributes”: {“status”: …}}} as application/vnd.api+json.",
        result_rules.check_form,
    ),
    RunTaskRule(
        "limits",
        "Texts within their limits",
        "Send at most 1,000 characters of message, 500 of a URL, and 5 MB of an outcome's body.",
        result_rules.check_limits,
    ),
    RunTaskRule(
        "outcomes",
        "Valid outcomes and tags",
        "Send at most 10 outcomes, each with outcome-id and description. Tags are lists of {label, level}. The "
        "level is none, info, warning, or error.",
        result_rules.check_outcomes,
        result_rules.collect_notes,
    ),
    RunTaskRule(
        "end",
        "Final result for every run",
        "Send passed or failed within 60 minutes, even if your own work fails.",
        result_rules.check_final_result,
    ),
    RunTaskRule(
        "progress",
        "Progress update every 10 minutes",
        "While you work, send “running” at least every 10 minutes.",
        result_rules.check_progress,
    ),
    RunTaskRule(
        "once",
        "One final result",
        "Send passed or failed once. A 200 response confirms it.",
        result_rules.check_single_result,
    ),
    RunTaskRule(
        "scenario.passing",
        "Passing run passes",
        "Explain how your service recognizes the passing run, or check why it stopped the run.",
        result_rules.build_scenario_check("passing", "passed"),
    ),
    RunTaskRule(
        "scenario.failing",
        "Failing run fails",
        "Explain how your service recognizes the failing run: its workspace, message, or plan.",
        result_rules.build_scenario_check("failing", "failed"),
    ),
)
UNSIGNED_RULE = RunTaskRule(
    "unsigned",
    "Signed requests",
    "Set a key for the run task and reject requests that aren't signed with it. Anyone can call a public URL.",
    response_rules.check_unsigned_mode,
)
SIGNATURE_RULES = ("signature.unsigned", "signature.wrong", "signature.raw")


def judge(records: RunTaskRecords) -> tuple[RuleResult, ...]:
    """Return the result of each rule in order. Without a key, one rule replaces the signature rules."""
    if records.has_key:
        return tuple(rule.judge(records) for rule in RULES)
    return (UNSIGNED_RULE.judge(records), *(rule.judge(records) for rule in RULES if rule.key not in SIGNATURE_RULES))


def compute_outcome(results: tuple[RuleResult, ...]) -> Outcome:
    """Return the overall outcome. Outcomes are optional, so their absence doesn't count."""
    return get_worst_outcome(
        result.outcome for result in results if not (result.rule == "outcomes" and result.outcome == Outcome.NOT_RUN)
    )
