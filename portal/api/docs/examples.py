"""Example request bodies for the OpenAPI document and the commands of the reference page."""

from portal.core.value_types import JsonObject

UUID = "0b7e4c1a-5d0e-4c55-9a43-8f4f6f1c2d3e"
REASON_BODY = {"reason": "The issue is a question, not a bug."}
SIGNATURE_BODY = {"signer": "Alice Archer", "signed_on": "2026-04-14", "version": "1.0"}
ANSWERS_BODY = {"answers": {"documentation": "https://docs.acme.example/rocket", "tests": "make test"}}
BASE_CONFIG = 'resource "rocket_pad" "one" {\n  name = "one"\n}\n'
EXAMPLES: dict[str, JsonObject] = {
    "create_draft": {"program": "nomad", "name": "Rocket", "repository_address": "acme/nomad-driver-rocket"},
    "save_draft": {"description": "Launches rockets.", "category": "ci-cd", "offerings": ["Open Source"]},
    "change_integration": {"description": "Launches rockets, and lands them."},
    "perform_step": {"note": "All requirements are complete."},
    "create_message": {"body": "The release is out."},
    "move_to_edition": {"to": "2026-06", "note": "Requested by the partner."},
    "requirement_answer": ANSWERS_BODY,
    "requirement_draft": ANSWERS_BODY,
    "requirement_confirm": {"confirmed": True},
    "requirement_remove": {"uuid": UUID},
    "requirement_sign": SIGNATURE_BODY,
    "requirement_renew": SIGNATURE_BODY | {"version": "2.0"},
    "requirement_propose": {
        "times": ["2026-04-14T09:00:00Z", "2026-04-15T09:00:00Z"],
        "minutes": 45,
        "place": "https://meet.acme.example/a",
    },
    "requirement_accept": {"time": "2026-04-14T09:00:00Z"},
    "requirement_cancel": {"reason": "We need another day."},
    "requirement_hold": {"shown": [], "notes": "The partner presented all items."},
    "requirement_give": {"label": "Demo tenant", "secret": "…"},
    "requirement_withdraw": {"uuid": UUID},
    "requirement_waive": {"reason": "The next release fixes this.", "until": "2026-06-30"},
    "requirement_end_waiver": {"reason": "The release is out."},
    "accept_deviation": {"value": "acme"},
    "report_check_results": {
        "commit": "9f3c1e0d2b4a",
        "version": "1.4.0",
        "checks": [{"id": "repository.public", "outcome": "pass", "summary": "The repository is public."}],
    },
    "start_run_task_test": {"url": "https://tasks.acme.example/run", "stages": ["pre_plan", "post_plan"]},
    "start_provider_lifecycle_test": {
        "version": "1.4.0",
        "base": BASE_CONFIG,
        "changed": BASE_CONFIG.replace('= "one"', '= "two"'),
    },
    "start_nomad_plugin_test": {"version": "1.4.0"},
    "assign": {"reviewer": "rita@program.example"},
    "raise_finding": {"requirement": "NO-3", "text": "Describe how to run the tests."},
    "resolve_finding": {"answer": "The README now describes the tests."},
    "change_reviewer_profile": {"away_from": "2026-07-01", "away_until": "2026-07-14"},
    **{f"issue_{act}": REASON_BODY for act in ("lower", "let_off", "ask", "dispute", "dismiss")},
    "propose_label_policy": {"critical": ["p0", "sev1"], "pause": ["waiting-for-reporter"]},
    "decide_label_policy": {"accept": False, "note": "Questions also use the label “p0”."},
    "set_calendar": {"zone": "Europe/Berlin", "workdays": [0, 1, 2, 3, 4], "dry_run": True},
    "update_partner": {"website": "https://acme.example"},
    "invite": {"email": "bob@acme.example", "role": "editor"},
    "decide_request": {"accept": True, "role": "viewer"},
    "change_role": {"role": "editor"},
    "set_alliances_manager": {"manager": "sam@program.example"},
    "update_report_subscriptions": {"subscriptions": {"partner:1": "weekly"}},
    "request_introduction": {"handle": "…", "message": "Would you like to work on this together?"},
    "answer_introduction": {"agree": True},
    "reply_to_record": {"text": "Response times were longer in August because we moved offices."},
    "update_notification_preferences": {"delivery": {"messages": "daily"}, "only_in_working_hours": True},
    "create_webhook": {
        "partner": "acme",
        "name": "Build pipeline",
        "address": "https://hooks.acme.example/portal",
        "kinds": ["review.changes_requested", "check.failed"],
    },
    "update_webhook": {"kinds": ["review.changes_requested"]},
    "resume_webhook": {"skip": False},
    "replay_webhook": {"since": "2026-04-14T09:00:00Z"},
    "save_view": {"page": "integrations", "name": "In review", "query": "stage=review"},
    "change_view": {"name": "Waiting for us", "is_default": True},
}
