"""Rules for the endpoint's responses to our requests."""

from functools import partial

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords
from verification.testruns.kinds.run_task.rules.catalog import RULES
from verification.testruns.rules import (
    RuleOutcome,
    choose_worst,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

VERIFICATION_STEPS = ("verify", "spaced", "future", "malformed")
# Also after an outage on our side, which the endpoint has no part in.
NOT_VERIFIED = report_not_run("The normal verification request didn't return 200, so we couldn't test this rule.")


@RULES.check("verification")
def check_verification(records: RunTaskRecords, exchange: Exchange) -> RuleOutcome:
    return _check_status_200(exchange) or report_pass(f"The response to the verification request was {exchange.line}.")


def _check_status_200(exchange: Exchange) -> RuleOutcome | None:
    """Return the failure for a status other than 200, None for 200."""
    # The platform repeats requests after any other response, and refuses a run task that confirms with 202.
    status = exchange.status
    if status == 200:
        return None
    problem = f"The response was {status}. The only valid status is 200. The platform repeats the request."
    if 300 <= status < 400:
        problem = f"The response was {status}, a redirect, which we don't follow. The only valid status is 200."
    if 200 <= status < 300:
        problem = f"The response was {status}. The platform accepts only 200 and rejects {status}."
    return report_failure(problem)


@RULES.check("verification.quiet")
def check_no_verification_result(records: RunTaskRecords) -> RuleOutcome:
    """Check that no result arrives for a verification request."""
    exchanges = [exchange for key in VERIFICATION_STEPS if (exchange := records.get_exchange(key))]
    if any(records.list_callbacks(key) for key in VERIFICATION_STEPS):
        return report_warning("The endpoint sent a result for a verification request, which has no run.")
    if not any(each.status for each in exchanges):
        reason = "No verification request has a response yet." if exchanges else "We didn't send this request."
        return report_not_run(reason)
    return report_pass("The endpoint sent no result for the verification requests.")


def _check_rejection(records: RunTaskRecords, step_key: str, description: str) -> RuleOutcome:
    """Check that a request returns 4xx and sends no result."""
    exchange = records.get_exchange(step_key)
    if exchange is None:
        return report_not_run("We didn't send this request.")
    if records.list_callbacks(step_key):
        return report_failure(f"The endpoint accepted a request {description} and sent a result for it.")
    if 200 <= exchange.status < 300:
        return report_failure(f"The endpoint responded with {exchange.status} to a request {description}.")
    # No document names the status of a refusal. HashiCorp's scaffolding responds with 401, and any 4xx is as clear.
    if 400 <= exchange.status < 500:
        summary = f"The endpoint rejected a request {description} with {exchange.status}."
        return _check_blanket_rejection(records) or report_pass(summary)
    return _explain_missing_response(exchange) or report_warning(
        f"The endpoint responded with {exchange.status} to a request {description}. The usual rejection is 401."
    )


check_wrong_signature = partial(_check_rejection, step_key="wrong", description="with a wrong signature")
RULES.check("signature.wrong")(check_wrong_signature)
RULES.check("signature.unsigned")(partial(_check_rejection, step_key="unsigned", description="without a signature"))


def _explain_missing_response(exchange: Exchange) -> RuleOutcome | None:
    """Return the result of a rule that needs a response if there is none. Other rules report the failure."""
    failure = exchange.find_failure()
    if failure is None or failure.outcome == Outcome.ERROR:
        return failure
    return report_not_run(f"We couldn't test this rule: {failure.summary}")


def _check_blanket_rejection(records: RunTaskRecords) -> RuleOutcome | None:
    """Return the result if the valid request was also rejected, so that a rejection proves nothing. Otherwise None."""
    first = records.get_exchange("verify")
    if first is None or not 400 <= first.status < 500:
        return None
    return report_not_run(
        f"The endpoint also rejected the normal verification request with {first.status}, so we couldn't test this "
        "rule."
    )


@RULES.check("signature.raw")
def check_raw_signature(records: RunTaskRecords) -> RuleOutcome:
    """Check that the signature is computed over the raw bytes."""
    exchange = records.get_exchange("spaced")
    if not records.is_verified or exchange is None:
        return NOT_VERIFIED
    if exchange.status != 200:
        return _explain_missing_response(exchange) or report_failure(
            f"The endpoint responded with {exchange.status} to the same document with different whitespace."
        )
    # An endpoint that accepts everything accepts this document, too, whatever it verifies.
    wrong_signature = check_wrong_signature(records)
    if wrong_signature.outcome in (Outcome.NOT_RUN, Outcome.ERROR):
        return wrong_signature
    if wrong_signature.outcome == Outcome.FAIL:
        return report_not_run("The endpoint accepts wrong signatures, so we couldn't test this rule.")
    return report_pass("The endpoint accepted a correctly signed document with different whitespace.")


@RULES.check("unsigned")
def check_unsigned_mode(records: RunTaskRecords) -> RuleOutcome:
    """Return the warning for a test without a key."""
    if not records.is_verified:
        return NOT_VERIFIED
    return report_warning("Without a key, the endpoint accepts requests from anyone.")


@RULES.check("malformed")
def check_malformed(records: RunTaskRecords, exchange: Exchange) -> RuleOutcome:
    """Check that a body that is not JSON is rejected without a server error."""
    summary = f"The endpoint responded with {exchange.status} to an incomplete document"
    # HashiCorp's scaffolding responds with 400. A server error would be repeated by the platform.
    if 400 <= exchange.status < 500:
        rejection = f"The endpoint rejected an incomplete document with {exchange.status}."
        return _check_blanket_rejection(records) or report_pass(rejection)
    if exchange.status >= 500:
        return report_failure(f"{summary}, a server error.")
    return report_warning(
        f"{summary}. The usual rejection is 400." if exchange.status >= 300 else f"{summary}, as if it were valid."
    )


@RULES.check("future")
def check_future(records: RunTaskRecords) -> RuleOutcome:
    """Check that unknown stages and fields are accepted."""
    exchange = records.get_exchange("future")
    if not records.is_verified or exchange is None:
        return NOT_VERIFIED
    if exchange.status == 200:
        return report_pass("The endpoint accepted a request with an unknown stage and an unknown field.")
    return _explain_missing_response(exchange) or report_warning(
        # Only a warning: no document requires endpoints to accept what isn't defined yet.
        f"The response to a verification request with a new stage and a new field was {exchange.line}."
    )


@RULES.check("response")
def check_run_responses(records: RunTaskRecords) -> RuleOutcome:
    """Check that every run returns 200."""
    passed = report_pass("The endpoint responded to every run with 200.")
    outcomes = [
        run.find_failure() or _check_status_200(run) or passed
        for run in records.runs
        # A run without a response in time is reported by the rule about time. One fault fails one rule.
        if run.status or run.end_state != "slow"
    ]
    return choose_worst(outcomes, report_not_run("No run has a response yet."))


@RULES.check("response_time")
def check_response_time(records: RunTaskRecords) -> RuleOutcome:
    """Check that responses arrive within 10 seconds, which is our own limit."""
    limits = records.limits
    exchanges = [each for each in records.exchanges if each.status or each.end_state == "slow"]
    timeout_count = sum(not each.status for each in exchanges)
    slowest_seconds = max((each.head_seconds for each in exchanges), default=0)
    if not exchanges:
        return report_not_run("No request has a response yet.")
    if timeout_count:
        return report_failure(
            f"{timeout_count} of {len(exchanges)} requests got no response within "
            f"{limits.request_timeout_seconds:g} seconds."
        )
    # Only a warning: no document limits the time to the first response.
    if slowest_seconds > limits.response_seconds:
        return report_warning(
            f"The slowest response took {slowest_seconds:.1f} seconds. Our limit is "
            f"{limits.response_seconds:g} seconds."
        )
    return report_pass(
        f"The slowest response took {slowest_seconds:.1f} of {limits.response_seconds:g} seconds, our own limit."
    )


@RULES.check("body")
def check_body_end(records: RunTaskRecords) -> RuleOutcome:
    """Check that every response body ends."""
    exchanges = [each for each in records.exchanges if each.status]
    incomplete = [each for each in exchanges if each.end_state != "complete"]
    if not exchanges:
        return report_not_run("No request has a response yet.")
    if incomplete:
        return report_failure(
            f"{len(incomplete)} of {len(exchanges)} responses were incomplete. {incomplete[0].message}"
        )
    return report_pass("Every response was complete.")
