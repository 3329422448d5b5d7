"""Tests that every page and form has an operation in the API, or a reason why not.

Add the operation of a new page here, or a reason why it has none; the API's description lists the reasons.
"""

from integrations.reviews.selectors.queue import TAB_LABELS
from integrations.reviews.selectors.queue_kinds import KINDS
from portal.api.v1.app import PARTS, build_document
from portal.api.v1.review_queue import ReviewQueueParams
from tests.portal.api.operations import list_operations
from tests.portal.page_urls import list_page_names
from tests.portal.test_access import read_access_table

REQUIREMENT_OPERATIONS = (
    "requirement_answer requirement_discard requirement_not_needed requirement_confirm requirement_upload"
    " requirement_remove requirement_sign requirement_upload_agreement requirement_confirm_agreement"
    " requirement_reject_agreement requirement_propose"
    " requirement_accept requirement_cancel requirement_hold requirement_add requirement_withdraw requirement_waive"
    " requirement_end_waiver requirement_request_waiver requirement_decline_waiver"
)
# page with a form: its operations
OPERATIONS_OF_FORMS = {
    "checks:accept_finding": "accept_deviation",
    "reviews:assign_reviewer": "assign",
    "reviews:claim": "claim",
    "sla:calendar": "set_calendar",
    "partners:edit": "update_partner",
    "partners:change_invitation": "resend_invitation revoke_invitation",
    "partners:invite": "invite",
    "partners:change_member": "change_role end_membership",
    "partners:decide_join_request": "decide_request",
    "submissions:confirm_draft": "submit_draft request_introduction",
    "submissions:draft": "save_draft prefill_draft",
    "submissions:discard_draft": "discard_draft",
    "submissions:restore_draft": "restore_draft",
    "submissions:resolve_draft_conflict": "save_draft",
    "submissions:save_draft": "save_draft",
    "submissions:edit": "change_integration",
    "reviews:answer_finding": "resolve_finding",
    "reviews:raise_finding": "raise_finding",
    "reviews:reopen_finding": "reopen_finding",
    "reviews:edit_finding": "edit_finding",
    "reviews:withdraw_finding": "withdraw_finding",
    "reviews:reply_to_finding": "reply_to_finding",
    "reviews:verify_findings": "verify_findings",
    "reviews:apply_templates": "raise_finding",
    "reviews:verify_finding": "verify_finding",
    "submissions:introduction": "answer_introduction",
    "sla:request_lower_severity": "request_lower_severity",
    "sla:accept_dispute": "accept_dispute",
    "sla:correct_severity": "correct_severity",
    "sla:dismiss_dispute": "dismiss_dispute",
    "sla:waive_breach": "waive_breach",
    "sla:dispute": "accept_dispute correct_severity waive_breach lower_severity exclude_issue dismiss_dispute",
    "sla:dispute_breach": "dispute_breach",
    "sla:exclude_issue": "exclude_issue",
    "sla:lower_severity": "lower_severity",
    "reviews:renew_claim": "renew_claim",
    "sla:label_policy": "propose_label_policy",
    "sla:decide_label_policy": "decide_label_policy",
    "testruns:provider_lifecycle": "start_provider_lifecycle_test",
    "directory:reply": "reply_to_record",
    "reviews:migrate_edition": "move_to_edition",
    "submissions:similar": "request_introduction",
    "testruns:nomad_plugin": "start_nomad_plugin_test",
    "inbox:preferences": "update_notification_preferences",
    "reviews:partner": "set_alliances_manager",
    "reviews:release_claim": "release_claim",
    "reviews:absence": "change_reviewer_profile",
    "reviews:profile": "change_reviewer_profile",
    "testruns:run_task": "start_run_task_test",
    "testruns:cancel_run_task": "cancel_test_run",
    "reports:subscriptions": "update_report_subscriptions",
    "submissions:requirement": REQUIREMENT_OPERATIONS,
    "submissions:requirement_draft": "requirement_draft",
    "checks:run": "run_checks",
    "reviews:post_message": "create_message",
    "testruns:inspect_schema": "inspect_schema",
    "schemas:list": "upload_schema",
    "reviews:mark_read": "mark_read",
    "submissions:start_program": "create_draft",
    "reviews:transition": "perform_named_transition",
    "analytics:change_view": "change_view delete_view",
    "analytics:save_view": "save_view",
    "webhooks:action": "test_webhook pause_webhook resume_webhook replay_webhook",
    "webhooks:edit": "update_webhook",
    "webhooks:remove": "delete_webhook",
    "webhooks:delivery": "replay_webhook_delivery",
    "webhooks:create": "create_webhook",
    "webhooks:rotate_secret": "rotate_webhook_secret",
}
# page that only shows something: its operations
OPERATIONS_OF_PAGES = {
    "checks:results": "list_checks list_check_results get_check_results",
    "reviews:partners": "list_partners",
    "reviews:agreements": "get_table",
    "partners:members": "get_partner list_members list_partner_events",
    "partners:edit": "get_partner",
    "sla:calendar": "get_calendar",
    "schemas:crds": "get_crossplane",
    "schemas:crd_archive": "get_crossplane_archive",
    "submissions:document": "get_document",
    "submissions:agreement": "get_agreement_pdf",
    "submissions:unsigned_agreement": "get_requirement",
    "submissions:draft": "get_draft list_drafts",
    "submissions:draft_overlaps": "list_draft_similar_work",
    "submissions:edit": "get_integration",
    "reviews:answer_finding": "list_findings",
    "reviews:raise_finding": "list_findings",
    "submissions:history": "list_events",
    "dashboard:home": "list_integrations list_drafts",
    "submissions:detail": "get_integration list_requirements list_transitions",
    "submissions:list": "list_integrations",
    "submissions:introduction": "get_introduction list_introductions",
    "sla:issue": "get_issue",
    "sla:dispute": "get_dispute",
    "sla:label_policy": "get_label_policy",
    "testruns:provider_lifecycle": "list_test_runs",
    "testruns:provider_lifecycle_json": "get_test_run",
    "directory:list": "list_directory",
    "directory:listing": "get_listing",
    "directory:reply": "get_listing",
    "inbox:email": "get_email list_notifications",
    "submissions:meeting_ics": "get_meeting_calendar list_meetings",
    "reviews:migrate_edition": "get_program",
    "submissions:similar": "list_similar_work",
    "testruns:nomad_plugin": "list_test_runs",
    "testruns:nomad_plugin_json": "get_test_run",
    "inbox:preferences": "get_notification_preferences",
    "inbox:list": "list_notifications",
    **dict.fromkeys(("analytics:overview", "analytics:flow", "analytics:workload", "analytics:forecast"), "get_table"),
    "inbox:email_log": "list_emails",
    "reviews:partner": "get_partner list_agreements",
    "directory:partner": "list_directory",
    "submissions:program": "get_program",
    "submissions:programs": "list_programs",
    "reviews:queue": "get_queue",
    "reviews:absence": "get_reviewer_profile",
    "reviews:profile": "get_reviewer_profile",
    "testruns:run_task": "list_test_runs get_test_run",
    "testruns:run_task_json": "get_test_run",
    "reports:detail": "get_report",
    "reports:detail_csv": "get_report",
    "reports:detail_json": "get_report",
    "reports:detail_pdf": "get_report",
    "reports:list": "list_reports get_report_subscriptions",
    "submissions:requirement": "get_requirement",
    "reviews:review": "get_integration list_findings list_checks get_requirement",
    "reviews:assign_reviewer": "get_integration",
    "directory:run_tasks": "list_directory",
    "reviews:post_message": "list_messages",
    "schemas:changes": "compare_schemas",
    "schemas:list": "list_schemas",
    **dict.fromkeys(("search:results", "search:palette"), "list_integrations list_partners"),
    "reports:sla_dashboard": "list_clocks",
    "compliance:status": "get_compliance",
    "compliance:status_json": "get_compliance",
    "compliance:frozen_evidence": "get_frozen_compliance",
    "compliance:frozen_evidence_json": "get_frozen_compliance",
    "submissions:choose_program": "list_programs",
    "submissions:start_program": "get_answer_schemas",
    "reviews:transition": "list_transitions",
    "analytics:table_csv": "get_table",
    "analytics:table_xlsx": "get_table",
    "analytics:save_view": "list_views",
    "analytics:saved_views": "list_views",
    "webhooks:detail": "get_webhook list_webhook_deliveries",
    "webhooks:edit": "get_webhook",
    "webhooks:remove": "get_webhook",
    "webhooks:event_types": "list_webhook_event_types",
    "webhooks:delivery": "get_webhook_delivery",
    "webhooks:create": "list_webhook_event_types",
    "webhooks:list": "list_webhooks",
}
# feature without an operation: its pages
PAGES_BY_FEATURE = {
    "Creating or joining a company": (
        "partners:accept_invitation partners:join partners:join_by_domain partners:create partners:invitation"
    ),
    "Audit log of all streams": "inbox:audit_log",
    "Rebalancing reviews": "reviews:rebalance",
    "Appointing owners and merging companies": "reviews:appoint_owner reviews:merge_partner",
    "Confirming the contacts of a company": "partners:confirm_contacts",
    "Verifying a company": "partners:verify reviews:decide_on_partner",
    "Starting from an address": "discovery:address discovery:discovery discovery:github discovery:select_program",
    "Previewing a text": "submissions:preview_text",
    "Marking notifications as read": "inbox:mark_all_as_read",
    "Connecting GitHub for private repositories": (
        "github_access:access github_access:connect github_access:revoke discovery:change_reader"
    ),
    "Creating and revoking tokens": "api:new_token api:partner_tokens api:tokens api:revoke_token",
    "Secrets and endpoints of issue monitoring": "sla:monitoring inbound:github_webhook",
    "Calendar feeds of due dates": "inbox:calendar_feed inbox:create_calendar_feed",
    "User accounts": (
        "accounts:email_addresses accounts:enrollment accounts:profile accounts:second_factor_required"
        " accounts:security_log dashboard:theme"
    ),
    "People and roles": (
        "accounts:people accounts:person accounts:change_account accounts:invite_person accounts:change_invitation"
        " accounts:invitation"
    ),
    "Unsubscribing with one click": "inbox:stop reports:stop reports:stop_external reports:confirm_external",
    "Badges, statements, and signing keys": (
        "directory:badge directory:badge_json directory:badge_key directory:badge_keys"
        " directory:badge_shields directory:badge_statement directory:badge_statement_compact"
        " directory:badge_svg directory:verify_badge"
    ),
    "Feeds, sitemap, and logos": (
        "directory:feed_atom directory:feed_json directory:logo directory:robots directory:sitemap"
        " directory:sitemap_part"
    ),
    "Help pages": (
        "checks:check_help checks:help help:clock_help help:index help:compliance_help styleguide:styleguide"
        " help:getting_started help:glossary"
    ),
    "Emails of reports": (
        "reports:emails reports:email_html reports:send_emails reports:recipients reports:add_recipient"
        " reports:remove_recipient reports:shared_csv reports:shared_pdf"
    ),
    "Portal status": "status:healthz status:index status:json",
    "Previews of listings": "directory:preview directory:preview_logo",
    "Version constraints and installation instructions": "directory:installation",
    "Single Crossplane definitions": "schemas:crd_file schemas:crd",
    "SLA trend charts": "reports:trends reports:overview reports:overview_csv",
    "Presence on a review": "reviews:presence",
    "Conflicts of interest": "reviews:change_conflict",
    "Endpoints for run task tests": "inbound:run_task_callback inbound:run_task_configuration inbound:run_task_plan",
    "API documentation": "api:docs api:docs_group api:openapi api:not_found",
}
PAGES_WITH_REASON = {page for pages in PAGES_BY_FEATURE.values() for page in pages.split()}
OPERATIONS_WITHOUT_PAGE = {"get_me", "report_check_results"}  # a token about itself, and reports of CI


def list_codes() -> list[tuple[str, str, str]]:
    """(page, code of its GET, code of its POST) of every page and role."""
    cells = [
        (name, cell) for name, line in read_access_table().items() if ": " not in name for cell in line if "/" in cell
    ]
    return [(name, *cell.split("/")) for name, cell in cells]  # type: ignore[misc]


def list_posting_pages() -> set[str]:
    """Return the pages whose POST does something: its status differs from that of GET, or is a redirect."""
    return {
        name for name, get, post in list_codes() if post.rstrip("+") not in ("405", "404", "in", get) or "+" in post
    }


def list_public_pages() -> set[str]:
    """Return the pages that GET shows to everyone."""
    return {name for name, get, _ in list_codes() if get == "200"}


def test_every_form_has_an_operation_or_a_reason() -> None:
    assert sorted(list_posting_pages() - set(OPERATIONS_OF_FORMS) - PAGES_WITH_REASON) == []


def test_every_page_has_an_operation_or_a_reason() -> None:
    assert sorted(list_public_pages() - set(OPERATIONS_OF_PAGES) - PAGES_WITH_REASON) == []


def test_no_page_has_an_operation_and_a_reason() -> None:
    assert sorted((set(OPERATIONS_OF_FORMS) | set(OPERATIONS_OF_PAGES)) & PAGES_WITH_REASON) == []


def test_every_operation_belongs_to_a_page() -> None:
    method_by_name = {name: method for name, method, _ in list_operations()}
    changing_names, reading_names = (
        {name for line in table.values() for name in line.split()}
        for table in (OPERATIONS_OF_FORMS, OPERATIONS_OF_PAGES)
    )
    assert {name for name in changing_names if method_by_name.get(name, "GET") == "GET"} == set()
    assert {name for name in reading_names if method_by_name.get(name) != "GET"} == set()
    assert set(method_by_name) - changing_names - reading_names == OPERATIONS_WITHOUT_PAGE


def test_every_page_named_here_exists() -> None:
    assert sorted((set(OPERATIONS_OF_FORMS) | set(OPERATIONS_OF_PAGES) | PAGES_WITH_REASON) - list_page_names()) == []


def test_description_lists_pages_without_operations() -> None:
    document = build_document()["info"]["description"]
    assert [name for name, reason in PARTS.page_only_features.items() if f"- {name}: {reason}." not in document] == []
    assert set(PAGES_BY_FEATURE) <= set(PARTS.page_only_features)


def test_queue_parameters_have_the_values_of_the_page() -> None:
    fields = ReviewQueueParams.model_json_schema()["properties"]
    assert fields["kind"]["enum"] == ["", *KINDS]
    assert fields["tab"]["enum"] == list(TAB_LABELS)
