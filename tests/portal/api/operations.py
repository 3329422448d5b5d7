"""All operations of the API document, with the URL of an existing object and a body.

A new operation with a body needs a line in `build_body`. Its URL refers to existing objects.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.utils import timezone

from integrations.sla.issue_decisions import DECISIONS
from integrations.submissions.services import agreements
from portal.api.v1.app import build_document
from tests.portal.sample_objects import ACCOUNTS, AGREEMENT_REQUIREMENT, ATTESTED_REQUIREMENT, FORM, LOGS, MEETING

ROLES = ("anonymous", "alice", "bob", "vera", "charlie", "rita", "rob", "sam", "vic", "mona", "audrey", "ci", "reader")
REASON = {"reason": "It is a question."}
BASE = 'resource "rocket_pad" "one" {\n}\n'
DRAFT_DATA = {"name": "Other"}


def list_operations() -> Iterator[tuple[str, str, str]]:
    """Yield (operation, method, path) of the document."""
    for path, methods in build_document()["paths"].items():
        for method, operation in methods.items():
            yield operation["operationId"], method.upper(), path


def build_operation_url(name: str, path: str, world: dict[str, Any]) -> str:
    """Return the URL with an object of Acme as each argument."""
    row = world["integration"]
    listed_integration = world["listed"]
    draft = world["draft"]
    uuids = {
        "/drafts": draft.uuid,
        "/issues": world["issue"].uuid,
        "/documents": world["document"].uuid,
        "/meetings": world["meeting"].uuid,
        "/directory": listed_integration.uuid,
        "/webhooks": world["endpoint"].uuid,
        "/emails": world["mail"].uuid,
    }
    place = re.sub(r"^/api/v1", "", path)
    uuid = next((found for start, found in uuids.items() if place.startswith(start)), row.uuid)
    if "compliance" in name or name == "reply_to_record":
        uuid = listed_integration.uuid
    if name in ("start_nomad_plugin_test", "start_run_task_test", "cancel_test_run"):
        uuid = world["driver" if "nomad" in name else "task"].uuid
    path_values = {
        "uuid": uuid,
        "requirement_id": get_requirement_id(name),
        "transition_name": "withdraw",
        "key": get_key(name),
        "slug": "acme",
        "sequence": world["dismissed_request"],
        "scope": world["report"],
        "period": "2026-W16",
        "pk": get_number(name, world),
        "delivery": world["message"].uuid,
        "report": world["ci_report"].uuid,
        "table": "integrations",
    }
    names = {
        "discard_draft": draft.title,
        "end_membership": str(world["member"].user),
        "delete_webhook": world["endpoint"].name,
    }
    query = f"?confirm_name={names[name]}" if name in names else ""
    return re.sub(r"{(\w+)}", lambda found: str(path_values[found[1]]), path) + query


def get_key(name: str) -> str:
    return "repository.owner" if name == "accept_deviation" else "nomad"


def get_requirement_id(name: str) -> str:
    kinds = {
        "upload": LOGS,
        "remove": LOGS,
        "confirm": ATTESTED_REQUIREMENT,
        "sign": AGREEMENT_REQUIREMENT,
        "upload_agreement": AGREEMENT_REQUIREMENT,
        "confirm_agreement": AGREEMENT_REQUIREMENT,
        "reject_agreement": AGREEMENT_REQUIREMENT,
        "propose": MEETING,
        "accept": MEETING,
        "cancel": MEETING,
        "hold": MEETING,
        "add": ACCOUNTS,
        "withdraw": ACCOUNTS,
    }
    return kinds.get(name.removeprefix("requirement_"), FORM)


def get_number(name: str, world: dict[str, Any]) -> int:
    if name in world["test_runs"]:
        return int(world["test_runs"][name])
    if name in ("change_view", "delete_view"):
        return int(world["view"].pk)
    if name == "get_agreement_pdf":
        return int(world["agreement"].pk)
    if "introduction" in name:
        return int(world["introduction"].pk)
    if "invitation" in name:
        return int(world["invitation"].pk)
    if name == "decide_request":
        return int(world["join_request"].pk)
    if name in ("change_role", "end_membership"):
        return int(world["member"].pk)
    return int(world["published_finding"].pk)


def build_body(name: str, world: dict[str, Any]) -> Any:
    """Return the body that a client would send."""
    soon = timezone.now() + timedelta(days=9)
    digest = agreements.get_current_agreement(world["partner"], "tpa").digest
    bodies: dict[str, Any] = {
        "create_draft": {"program": "nomad", "name": "Other"},
        "save_draft": DRAFT_DATA,
        "change_integration": {"name": "New name", "category": "ci-cd"},
        "perform_named_transition": {"note": "Because.", "confirm_name": world["integration"].name},
        "create_message": {"body": "Hello."},
        "move_to_edition": {"to": "2000-01"},
        "requirement_answer": {"answers": {"tests": "make", "documentation": "https://x.example"}},
        "requirement_draft": {"answers": {"tests": "make"}},
        "requirement_confirm": {"confirmed": True},
        "requirement_remove": {"uuid": str(world["document"].uuid)},
        "requirement_withdraw": {"uuid": str(world["account"].uuid)},
        "requirement_sign": {"signer": "A", "title": "CEO", "digest": digest},
        "requirement_confirm_agreement": {"sha256": "0" * 64},
        "requirement_reject_agreement": REASON,
        "requirement_propose": {"times": [soon.isoformat()]},
        "requirement_accept": {"starts_at": "2030-01-02T10:00:00Z"},
        "requirement_cancel": REASON,
        "requirement_request_waiver": REASON,
        "requirement_decline_waiver": REASON,
        "requirement_end_waiver": REASON,
        "requirement_hold": {"shown": [], "notes": "Fine."},
        "requirement_add": {"label": "Tenant", "secret": "x"},
        "requirement_waive": {"reason": "Fine.", "expires_on": (soon + timedelta(days=30)).date().isoformat()},
        "accept_deviation": {"value": "9"},
        "report_check_results": {
            "commit": "9f3c1e0",
            "checks": [{"id": "repository.public", "outcome": "pass", "summary": "It is."}],
        },
        "assign": {"reviewer": "rob@program.example"},
        "raise_finding": {"requirement": FORM, "text": "More tests."},
        "resolve_finding": {"answer": "Done."},
        "change_reviewer_profile": {"max_open_reviews": 3},
        **{decision.name: REASON for decision in DECISIONS},
        "propose_label_policy": {"critical": ["p0"]},
        "decide_label_policy": {"accept": False, "note": "No."},
        "set_calendar": {"time_zone": "UTC", "workdays": [0, 1, 2, 3]},
        "update_partner": {"website": "https://a.example"},
        "invite": {"email": "v@acme.example", "role": "viewer"},
        "decide_request": {"accept": True},
        "change_role": {"role": "viewer"},
        "set_alliances_manager": {"alliances_manager": "rob@program.example"},
        "update_report_subscriptions": {"subscriptions": {}},
        "request_introduction": {"handle": "x"},
        "update_notification_preferences": {"delivery": {"messages": "daily"}, "only_in_working_hours": True},
        "create_webhook": {
            "partner": "acme",
            "name": "Other",
            "url": "https://hooks.acme.com/in",
            "event_types": ["integration.listed"],
        },
        "update_webhook": {"name": "Other"},
        "replay_webhook": {"since": (soon - timedelta(days=12)).isoformat()},
        "start_run_task_test": {"url": "https://tasks.acme.com/run", "stages": ["pre_plan"]},
        "start_provider_lifecycle_test": {"version": "1.4.0", "config": BASE, "changed_config": f"{BASE}# more"},
        "start_nomad_plugin_test": {"version": "1.4.0"},
        "save_view": {"page": "integrations", "name": "Late", "query": "stage=review"},
        "change_view": {"name": "Other"},
        "reply_to_record": {"text": "We answer."},
        "answer_introduction": {"agree": True},
    }
    return bodies.get(name, {})
