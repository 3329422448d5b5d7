"""Can everything that people press in pages be done by a program too? Every form's address, and the operation for it.

A new address that takes a POST fails here until it has its operation, or a reason why it has none.
"""

from tests.portal.api.everywhere import operations
from tests.portal.everything import names
from tests.portal.test_access import written

ACTS = (
    "requirement_answer requirement_discard requirement_not_needed requirement_confirm requirement_upload"
    " requirement_remove requirement_sign requirement_sign_with_file requirement_renew requirement_propose"
    " requirement_accept requirement_cancel requirement_hold requirement_give requirement_withdraw requirement_waive"
    " requirement_end_waiver"
)
# address: its operations
OPERATIONS = {
    "accept_finding": "accept_found", "assign": "assign", "claim": "claim", "company_calendar": "set_calendar",
    "company_change": "change_company", "company_invitation": "resend_invitation revoke_invitation",
    "company_invite": "invite", "company_member": "change_role end_membership", "company_request": "decide_request",
    "confirm_start": "submit_draft ask_introduction", "draft": "save_draft", "draft_discard": "discard_draft",
    "draft_resolve": "save_draft", "draft_save": "save_draft", "edit_facts": "change_integration",
    "finding_fix": "fix_finding", "finding_new": "raise_finding", "finding_reopen": "reopen_finding",
    "finding_verify": "verify_finding", "introduction": "answer_introduction", "issue_ask": "issue_ask",
    "issue_dismiss": "issue_dismiss", "issue_dispute": "issue_dispute", "issue_let_off": "issue_let_off",
    "issue_lower": "issue_lower", "keep_claim": "keep_claim", "labels": "propose_labels",
    "labels_answer": "answer_labels", "listing_reply": "reply_to_record",
    "move_edition": "move_to_edition", "neighbours": "ask_introduction",
    "partner": "name_manager", "prefill": "prefill_draft", "put_back": "put_back",
    "queue_profile": "change_reviewer_profile", "report_wishes": "wish_reports", "requirement": ACTS,
    "requirement_draft": "requirement_draft", "run_checks": "run_checks", "say": "say", "seen": "seen",
    "start_program": "begin_draft", "step": "take_step",
}  # fmt: skip
WEBHOOK_PAGES = ("act", "change", "end", "message", "new")
# address: why no operation
PAGES_ONLY = {
    "company_invited": "joining a company proves one's mail address, in a page",
    "company_join": "joining a company proves one's mail address, in a page",
    "company_new": "beginning a company proves one's mail address, in a page",
    "invitation": "joining a company proves one's mail address, in a page",
    "company_tokens": "a token makes no tokens",
    "tokens": "a token makes no tokens",
    "token_revoke": "a token revokes no tokens",
    "profile": "settings of the account",
    "theme": "settings of the account",
    "report_stop": "one click in a mail",
    "hook": "GitHub posts there",
    "run_task_callback": "a rehearsed run task posts there",
    "watch": "shows a secret of a webhook once",
    "rehearsal": "a rehearsal is watched while it runs",
    "rehearsal_stop": "a rehearsal is watched while it runs",
    "schemas": "a file of Terraform's, compared in a page",
    "schema_read": "a page that looks at a repository while it is watched",
    "lifecycle": "a rehearsal is watched while it runs",
    "nomad_rehearsal": "a rehearsal is watched while it runs",
    "notification_choices": "settings of the account",
    "calendar_feed_make": "shows a secret address once",
    "view_save": "keeps how a page is looked at",
    "verify": "a page for whoever was shown a badge; `manage.py badge_verify` does it without us",
    **{f"webhook_{act}": "settings of the account: its page shows a secret once" for act in WEBHOOK_PAGES},
    "styleguide": "shows forms, keeps nothing",
    "api_missing": "no such address",
}


def posted() -> set[str]:
    """The addresses whose POST does something, by their lines in access.txt: other than a GET, or led elsewhere."""
    found = set()
    for name, cells in written().items():
        if ":" in name:
            continue
        pairs = [cell.split("/") for cell in cells if "/" in cell]
        if any(post.rstrip("+") not in ("405", "404", "in", get) or "+" in post for get, post in pairs):
            found.add(name)
    return found


def test_every_form_has_its_operation_or_a_reason() -> None:
    assert sorted(posted() - set(OPERATIONS) - set(PAGES_ONLY)) == []


def test_every_operation_named_here_exists_and_every_write_is_named() -> None:
    known = {name: method for name, method, _ in operations()}
    named = {name for listed in OPERATIONS.values() for name in listed.split()}
    assert sorted(named - set(known)) == []
    unnamed = {name for name, method in known.items() if method != "GET"} - named
    assert unnamed == {"report_check_results"}  # from CI alone


def test_every_address_named_here_exists() -> None:
    assert sorted((set(OPERATIONS) | set(PAGES_ONLY)) - names()) == []
