"""Rules for the endpoint's responses to our requests."""

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task.judging import check_silence
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords
from verification.testruns.rule_results import (
    RuleOutcome,
    choose_worst,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

VERIFICATION_STEPS = ("verify", "spaced", "future", "malformed")


def check_verification(records: RunTaskRecords) -> RuleOutcome:
    """Check that the verification request returns 200."""
    exchange = records.get_exchange("verify")
    silence = check_silence(exchange)
    if silence or exchange is None:
        return silence or report_not_run("")
    return check_status_200(exchange) or report_pass(f"The response to the verification request was {exchange.line}.")


def check_status_200(exchange: Exchange) -> RuleOutcome | None:
    """Return the problem of a response, None if its status is 200."""
    if exchange.status == 200:
        return None
    if 300 <= exchange.status < 400:
        return report_failure(
            f"The response was {exchange.status}, a redirect, which we don't follow. The only valid status is 200."
        )
    if 200 <= exchange.status < 300:
        return report_failure(
            f"The response was {exchange.status}. The platform accepts only 200 and rejects {exchange.status}."
        )
    return report_failure(
        f"The response was {exchange.status}. The only valid status is 200. The platform repeats the request."
    )


def check_verification_silence(records: RunTaskRecords) -> RuleOutcome:
    """Check that no result arrives for a verification request."""
    if any(records.list_callbacks(each) for each in VERIFICATION_STEPS):
        return report_warning("The endpoint sent a result for a verification request, which has no run.")
    exchanges = [exchange for each in VERIFICATION_STEPS if (exchange := records.get_exchange(each))]
    if not any(each.status for each in exchanges):
        return report_not_run(
            "No verification request has a response yet." if exchanges else "We didn't send this request."
        )
    return report_pass("The endpoint sent no result for the verification requests.")


def check_refused(records: RunTaskRecords, step_key: str, description: str) -> RuleOutcome:
    """Check that a request returns 4xx and sends no result."""
    if not records.has_key:
        return report_not_run("Without a key, we can't test signatures.")
    exchange = records.get_exchange(step_key)
    if exchange is None:
        return report_not_run("We didn't send this request.")
    if records.list_callbacks(step_key):
        return report_failure(f"The endpoint accepted a request {description} and sent a result for it.")
    if 200 <= exchange.status < 300:
        return report_failure(f"The endpoint responded to a request {description} with {exchange.status}.")
    if 400 <= exchange.status < 500:
        return _check_vacuous(records) or report_pass(
            f"The endpoint rejected a request {description} with {exchange.status}."
        )
    silence = check_silence(exchange)
    if silence:
        return report_not_run(f"We couldn't test this rule: {silence[1]}")
    return report_warning(
        f"The endpoint responded to a request {description} with {exchange.status}. The usual rejection is 401."
    )


def _check_vacuous(records: RunTaskRecords) -> RuleOutcome | None:
    """Return the result for a refusal that proves nothing because the valid request was refused too."""
    first = records.get_exchange("verify")
    if first is not None and 400 <= first.status < 500:
        return report_not_run(
            f"The endpoint also rejected the normal verification request with {first.status}, so we couldn't "
            "test this rule."
        )
    return None


def check_unsigned_request(records: RunTaskRecords) -> RuleOutcome:
    return check_refused(records, "unsigned", "without a signature")


def check_wrong_signature(records: RunTaskRecords) -> RuleOutcome:
    return check_refused(records, "wrong", "with a wrong signature")


def check_raw_signature(records: RunTaskRecords) -> RuleOutcome:
    """Check that the signature is computed over the raw bytes."""
    first, exchange = records.get_exchange("verify"), records.get_exchange("spaced")
    if not records.has_key or exchange is None:
        return report_not_run("Without a key, we can't test signatures.")
    if first is None or first.status != 200:
        return report_not_run("The endpoint rejected the normal verification request, so we couldn't test this rule.")
    if exchange.status != 200:
        return report_failure(
            f"The endpoint responded to the same document with different whitespace with {exchange.status}."
        )
    if check_wrong_signature(records)[0] not in (Outcome.PASS, Outcome.WARN):
        return report_not_run("The endpoint accepts wrong signatures, so we couldn't test this rule.")
    return report_pass("The endpoint accepted a correctly signed document with different whitespace.")


def check_unsigned_mode(records: RunTaskRecords) -> RuleOutcome:
    """Return the warning for a test without a key."""
    if check_verification(records)[0] == Outcome.PASS:
        return report_warning("Without a key, the endpoint accepts requests from anyone.")
    return report_not_run("The endpoint rejected the verification request, so we couldn't test this rule.")


def check_malformed(records: RunTaskRecords) -> RuleOutcome:
    """Check that a body that is not JSON is refused without a server error."""
    exchange = records.get_exchange("malformed")
    silence = check_silence(exchange)
    if silence or exchange is None:
        return silence or report_not_run("")
    if 400 <= exchange.status < 500:
        return _check_vacuous(records) or report_pass(
            f"The endpoint rejected an incomplete document with {exchange.status}."
        )
    if exchange.status >= 500:
        return report_failure(
            f"The endpoint responded to an incomplete document with {exchange.status}, a server error."
        )
    if exchange.status >= 300:
        return report_warning(
            f"The endpoint responded to an incomplete document with {exchange.status}. The usual rejection is 400."
        )
    return report_warning(
        f"The endpoint responded to an incomplete document with {exchange.status}, as if it were valid."
    )


def check_future(records: RunTaskRecords) -> RuleOutcome:
    """Check that unknown stages and fields are accepted."""
    first, exchange = records.get_exchange("verify"), records.get_exchange("future")
    if first is None or exchange is None or first.status != 200:
        return report_not_run("The endpoint rejected the normal verification request, so we couldn't test this rule.")
    if exchange.status == 200:
        return report_pass("The endpoint accepted a request with an unknown stage and an unknown field.")
    return report_warning(
        f"The response to a verification request with a new stage and a new field was {exchange.line}."
    )


def check_run_answers(records: RunTaskRecords) -> RuleOutcome:
    """Check that every run returns 200."""
    runs = records.runs()
    outcomes = [_check_run_answer(each) for each in runs if not (each.status == 0 and each.ended == "slow")]
    return choose_worst(outcomes, report_not_run("No run has a response yet."))


def _check_run_answer(run: Exchange) -> RuleOutcome:
    return check_silence(run) or check_status_200(run) or report_pass("The endpoint responded to every run with 200.")


def check_first_answer(records: RunTaskRecords) -> RuleOutcome:
    """Check that responses arrive within 10 seconds, which is our own limit."""
    limits = records.limits
    exchanges = [each for each in records.exchanges if each.status or each.ended == "slow"]
    timeouts = [each for each in exchanges if not each.status]
    if timeouts:
        return report_failure(
            f"{len(timeouts)} of {len(exchanges)} requests got no response within "
            f"{limits.request_timeout_seconds:g} seconds."
        )
    slowest_seconds = max((each.head_seconds for each in exchanges), default=None)
    if slowest_seconds is None:
        return report_not_run("No request has a response yet.")
    if slowest_seconds > limits.first_answer_seconds:
        return report_warning(
            f"The slowest response took {slowest_seconds:.1f} seconds. Our limit is "
            f"{limits.first_answer_seconds:g} seconds."
        )
    return report_pass(
        f"The slowest response took {slowest_seconds:.1f} of {limits.first_answer_seconds:g} seconds. The limit "
        "is ours."
    )


def check_body_end(records: RunTaskRecords) -> RuleOutcome:
    """Check that every response body ends."""
    exchanges = [each for each in records.exchanges if each.status]
    incomplete_exchanges = [each for each in exchanges if each.ended != "whole"]
    if not exchanges:
        return report_not_run("No request has a response yet.")
    if incomplete_exchanges:
        return report_failure(
            f"{len(incomplete_exchanges)} of {len(exchanges)} responses had no proper end. "
            f"{incomplete_exchanges[0].sentence}"
        )
    return report_pass("Every response had a proper end.")
