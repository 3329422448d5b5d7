"""Can everything that people do and see in pages be had by a program too? Every page, and the operations for it.

A new page fails here until it has its operation, or a reason why it has none; the API's description lists the reasons.
"""

from portal.api.docs.page_only_features import PAGE_ONLY_FEATURES
from portal.api.v1.app import build_document
from tests.portal.api.everywhere import operations
from tests.portal.everything import names
from tests.portal.test_access import read_access_table

ACTS = (
    "requirement_answer requirement_discard requirement_not_needed requirement_confirm requirement_upload"
    " requirement_remove requirement_sign requirement_sign_with_file requirement_renew requirement_propose"
    " requirement_accept requirement_cancel requirement_hold requirement_give requirement_withdraw requirement_waive"
    " requirement_end_waiver"
)
# page with a form: the operations that do what it does
DONE_BY = {
    "accept_finding": "accept_deviation",
    "assign": "assign",
    "claim": "claim",
    "company_calendar": "set_calendar",
    "company_change": "update_partner",
    "company_invitation": "resend_invitation revoke_invitation",
    "company_invite": "invite",
    "company_member": "change_role end_membership",
    "company_request": "decide_request",
    "confirm_start": "submit_draft request_introduction",
    "draft": "save_draft",
    "draft_discard": "discard_draft",
    "draft_resolve": "save_draft",
    "draft_save": "save_draft",
    "edit_facts": "change_integration",
    "finding_fix": "resolve_finding",
    "finding_new": "raise_finding",
    "finding_reopen": "reopen_finding",
    "finding_verify": "verify_finding",
    "introduction": "answer_introduction",
    "issue_ask": "issue_ask",
    "issue_dismiss": "issue_dismiss",
    "issue_dispute": "issue_dispute",
    "issue_let_off": "issue_let_off",
    "issue_lower": "issue_lower",
    "keep_claim": "renew_claim",
    "labels": "propose_label_policy",
    "labels_answer": "decide_label_policy",
    "lifecycle": "start_provider_lifecycle_test",
    "listing_reply": "reply_to_record",
    "move_edition": "move_to_edition",
    "neighbors": "request_introduction",
    "nomad_rehearsal": "start_nomad_plugin_test",
    "notification_choices": "update_notification_preferences",
    "partner": "set_alliances_manager",
    "prefill": "prefill_draft",
    "put_back": "release_claim",
    "queue_profile": "change_reviewer_profile",
    "rehearsal": "start_run_task_test",
    "rehearsal_stop": "cancel_run_task_test",
    "report_subscriptions": "update_report_subscriptions",
    "requirement": ACTS,
    "requirement_draft": "requirement_draft",
    "run_checks": "run_checks",
    "say": "create_message",
    "schema_read": "inspect_schema",
    "schemas": "upload_schema",
    "seen": "mark_read",
    "start_program": "create_draft",
    "step": "perform_step",
    "view_change": "change_view delete_view",
    "view_save": "save_view",
    "webhook_act": "test_webhook pause_webhook resume_webhook replay_webhook",
    "webhook_change": "update_webhook",
    "webhook_end": "delete_webhook",
    "webhook_message": "replay_webhook_message",
    "webhook_new": "create_webhook",
    "webhook_secret": "rotate_webhook_secret",
}
# page that shows something: the operations that tell it
TOLD_BY = {
    "check_results": "list_checks list_check_results get_check_results",
    "companies": "list_partners",
    "company": "get_partner list_members list_partner_events",
    "company_change": "get_partner",
    "company_calendar": "get_calendar",
    "crossplane": "get_crossplane",
    "crossplane_archive": "get_crossplane_archive",
    "document": "get_document",
    "draft": "get_draft list_drafts",
    "draft_overlaps": "list_draft_similar_work",
    "edit_facts": "get_integration",
    "finding_fix": "list_findings",
    "finding_new": "list_findings",
    "history": "list_events",
    "home": "list_integrations list_drafts",
    "integration": "get_integration list_requirements list_steps",
    "integrations": "list_integrations",
    "introduction": "get_introduction list_introductions",
    "issue": "get_issue",
    "labels": "get_label_policy",
    "lifecycle": "list_provider_lifecycle_tests",
    "lifecycle_json": "get_provider_lifecycle_test",
    "listed": "list_directory",
    "listing": "get_listing",
    "listing_reply": "get_listing",
    "mail": "get_email list_notifications",
    "meeting_ics": "get_meeting_calendar list_meetings",
    "move_edition": "get_program",
    "neighbors": "list_similar_work",
    "nomad_rehearsal": "list_nomad_plugin_tests",
    "nomad_rehearsal_json": "get_nomad_plugin_test",
    "notification_choices": "get_notification_preferences",
    "notifications": "list_notifications",
    **dict.fromkeys(("office", "office_flow", "office_people", "office_forecast"), "get_table"),
    "outbox": "list_emails",
    "partner": "get_partner list_agreements",
    "partner_page": "list_directory",
    "program": "get_program",
    "programs": "list_programs",
    "queue": "get_queue",
    "queue_profile": "get_reviewer_profile",
    "rehearsal": "list_run_task_tests get_run_task_test",
    "rehearsal_json": "get_run_task_test",
    "report": "get_report",
    "report_csv": "get_report",
    "report_json": "get_report",
    "reports": "list_reports get_report_subscriptions",
    "requirement": "get_requirement",
    "review": "get_integration list_findings list_checks get_requirement",
    "run_tasks": "list_directory",
    "say": "list_messages",
    "schema_changes": "compare_schemas",
    "schemas": "list_schemas",
    "search": "list_integrations list_partners",
    "sla": "list_clocks",
    "sla_csv": "get_table",
    "sla_json": "list_clocks",
    "standing": "get_compliance",
    "standing_json": "get_compliance",
    "standing_frozen": "get_frozen_compliance",
    "standing_frozen_json": "get_frozen_compliance",
    "start": "list_programs",
    "start_program": "get_answer_schemas",
    "step": "list_steps",
    "table_csv": "get_table",
    "table_xlsx": "get_table",
    "view_save": "list_views",
    "views": "list_views",
    "webhook": "get_webhook list_webhook_messages",
    "webhook_change": "get_webhook",
    "webhook_end": "get_webhook",
    "webhook_kinds": "list_webhook_event_types",
    "webhook_message": "get_webhook_message",
    "webhook_new": "list_webhook_event_types",
    "webhooks": "list_webhooks",
}
PAGES_WITH_REASON = {page for only in PAGE_ONLY_FEATURES for page in only.pages}
OPERATIONS_WITHOUT_PAGE = {"get_me", "report_check_results"}  # a token's own question, and CI's report


def codes() -> list[tuple[str, str, str]]:
    """(page, code of its GET, code of its POST) of every page and role."""
    cells = [
        (name, cell) for name, line in read_access_table().items() if ":" not in name for cell in line if "/" in cell
    ]
    return [(name, *cell.split("/")) for name, cell in cells]  # type: ignore[misc]


def list_posting_pages() -> set[str]:
    """The pages whose POST does something: it answers otherwise than a GET, or led elsewhere."""
    return {
        name for name, get, post in codes() if post.rstrip("+") not in ("405", "404", "in", get) or "+" in post
    }  # fmt: skip


def list_public_pages() -> set[str]:
    """The pages that a GET shows to anybody."""
    return {name for name, get, _ in codes() if get == "200"}


def test_every_form_has_its_operation_or_a_reason() -> None:
    assert sorted(list_posting_pages() - set(DONE_BY) - PAGES_WITH_REASON) == []


def test_every_page_that_shows_something_has_its_operation_or_a_reason() -> None:
    assert sorted(list_public_pages() - set(TOLD_BY) - PAGES_WITH_REASON) == []


def test_no_page_has_an_operation_and_a_reason() -> None:
    assert sorted((set(DONE_BY) | set(TOLD_BY)) & PAGES_WITH_REASON) == []


def test_every_operation_stands_for_a_page() -> None:
    method_by_name = {name: method for name, method, _ in operations()}
    changing_names, reading_names = (
        {name for line in table.values() for name in line.split()} for table in (DONE_BY, TOLD_BY)
    )
    assert {name for name in changing_names if method_by_name.get(name, "GET") == "GET"} == set()
    assert {name for name in reading_names if method_by_name.get(name) != "GET"} == set()
    assert set(method_by_name) - changing_names - reading_names == OPERATIONS_WITHOUT_PAGE


def test_every_page_named_here_exists() -> None:
    assert sorted((set(DONE_BY) | set(TOLD_BY) | PAGES_WITH_REASON) - names()) == []


def test_what_stays_in_pages_is_reported_in_the_description() -> None:
    document = build_document()["info"]["description"]
    assert [only.name for only in PAGE_ONLY_FEATURES if f"- {only.name}: {only.reason}." not in document] == []
