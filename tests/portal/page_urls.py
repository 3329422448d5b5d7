"""The URL of every page for the objects that sample_objects.py creates."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from portal.notifications import unsubscribe as stopping
from portal.reports import unsubscribe
from tests.portal.sample_objects import AGREEMENT_REQUIREMENT, FORM

APP_PACKAGES = ("portal.", "integrations.", "verification.")
ISSUE_PAGES = (
    "issue",
    "dispute",
    "accept_dispute",
    "correct_severity",
    "waive_breach",
    "lower_severity",
    "exclude_issue",
    "request_lower_severity",
    "dispute_breach",
    "dismiss_dispute",
)
# URLs that are not pages and answer all readers alike.
PUBLIC_FILES = {
    "api:openapi",
    "directory:badge_json",
    "directory:badge_keys",
    "directory:badge_shields",
    "directory:badge_statement",
    "directory:badge_statement_compact",
    "directory:badge_svg",
    "directory:feed_atom",
    "directory:feed_json",
    "directory:robots",
    "directory:sitemap",
    "directory:sitemap_part",
}
EVIDENCE = ("status", "status_json", "frozen_evidence", "frozen_evidence_json")
BADGES = ("", "_svg", "_json", "_shields", "_statement", "_statement_compact", "_key")


def list_url_patterns(url_patterns: Any = None, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Yield our URL patterns, without pages of libraries (sign-in, admin) and the API, which has its own table."""
    for pattern in get_resolver().url_patterns if url_patterns is None else url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else namespace
            yield from (
                list_url_patterns(pattern.url_patterns, inner) if pattern.namespace not in ("v1", "admin") else ()
            )
        elif pattern.callback.__module__.startswith(APP_PACKAGES):
            yield f"{namespace}{pattern.name or ''}", pattern


@cache
def map_patterns_by_name() -> dict[str, URLPattern]:
    """Return URL patterns by name; of two with the same name, the one with more arguments."""
    return {
        name: pattern for name, pattern in sorted(list_url_patterns(), key=lambda pair: len(pair[1].pattern.converters))
    }


def list_page_names() -> set[str]:
    return set(map_patterns_by_name())


def list_special_arguments(world: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the URL arguments of pages that differ from the common ones."""
    return {
        "partners:change_invitation": {"pk": world["invitation"].pk},
        "partners:accept_invitation": {"pk": world["invitation"].pk},
        "partners:decide_join_request": {"pk": world["join_request"].pk},
        "partners:change_member": {"pk": world["member"].pk},
        "submissions:introduction": {"pk": world["introduction"].pk},
        "submissions:agreement": {"pk": world["agreement"].pk},
        "submissions:unsigned_agreement": {"requirement_id": AGREEMENT_REQUIREMENT},
        "submissions:document": {"uuid": world["document"].uuid},
        "submissions:meeting_ics": {"uuid": world["meeting"].uuid},
        "directory:listing": {"uuid": world["listed"].uuid},
        "directory:preview_logo": {"uuid": world["listed"].uuid},
        "directory:logo": {"uuid": world["listed"].uuid},
        "directory:reply": {"uuid": world["listed"].uuid},
        **{f"directory:badge{form}": {"uuid": world["listed"].uuid, "kid": "x"} for form in BADGES},
        **{f"reviews:{act}_finding": {"pk": world["published_finding"].pk} for act in ("answer", "verify", "reopen")},
        **{f"testruns:nomad_plugin{form}": {"uuid": world["driver"].uuid} for form in ("", "_json")},
        **{
            name: {"uuid": world["task"].uuid}
            for name in ("testruns:run_task", "testruns:run_task_json", "testruns:cancel_run_task")
        },
        **{f"discovery:{name}": {"uuid": world["discovery"].uuid} for name in ("discovery", "select_program")},
        "api:docs_group": {"slug": "directory"},
        "inbox:email": {"uuid": world["mail"].uuid},
        "reviews:absence": {"pk": world["rob"].pk},
        "analytics:change_view": {"pk": world["view"].pk},
        "analytics:save_view": {"page": "queue"},
        **{f"analytics:table_{form}": {"table": "queue"} for form in ("csv", "xlsx")},
        **{f"sla:{name}": {"uuid": world["issue"].uuid} for name in ISSUE_PAGES},
        **{
            f"compliance:{form}": {"uuid": world["listed"].uuid, "seq": world["dismissed_request"]} for form in EVIDENCE
        },
        **{f"accounts:{name}": {"pk": world["users"]["rob"].pk} for name in ("person", "change_account")},
        "accounts:change_invitation": {"pk": world["staff_invitation"].pk},
        "accounts:invitation": {"token": world["staff_token"]},
        "accounts:enrollment": {"uidb36": "1", "key": "used-before"},
        **{name: {"uuid": world["api_token"].uuid} for name in ("api:new_token", "api:revoke_token")},
        **{
            f"webhooks:{act}": {"uuid": world["endpoint"].uuid, "message": world["message"].uuid, "action": "pause"}
            for act in ("detail", "edit", "rotate_secret", "remove", "delivery", "action")
        },
        "inbox:calendar_feed": {"token": world["calendar"]},
        "inbox:stop": {"token": stopping.build_url(world["users"]["alice"], "messages").rsplit("/", 2)[-2]},
        "submissions:confirm_draft": {"uuid": world["draft"].uuid},
        **{name: {"key": "repository.owner"} for name in ("checks:check_help", "checks:accept_finding")},
        **{
            f"reports:{page}": {"scope": "programs", "pk": world["recipient"].pk}
            for page in ("recipients", "add_recipient", "remove_recipient")
        },
        **{
            name: {"token": unsubscribe.build_external_url(world["recipient"]).rsplit("/", 2)[-2]}
            for name in ("reports:confirm_external", "reports:stop_external")
        },
        **{f"reports:shared_{form}": {"token": "no-token"} for form in ("csv", "pdf")},
        "reports:stop": {
            "token": unsubscribe.build_unsubscribe_url(world["users"]["alice"], world["report"]).rsplit("/", 2)[-2]
        },
    }


def get_url_arguments(name: str, world: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a URL, which refer to objects of Acme."""
    row = world["integration"]
    if "special_arguments" not in world:  # among them are signatures, which take more time than some pages
        world["special_arguments"] = list_special_arguments(world)
    common = {
        "uuid": world["draft"].uuid if "draft" in name and "requirement" not in name else row.uuid,
        "slug": row.partner.slug,
        "pk": world["finding"].pk,
        "token": world["token"],
        "key": "nomad",
        "program": "nomad",
        "requirement_id": FORM,
        "transition_name": "approve",
        "scope": world["report"],
        "section": "listings",
        "period": "2026-W16",
    }
    return {**common, **world["special_arguments"].get(name, {})}


def build_url(name: str, world: dict[str, Any], **parts: Any) -> str:
    """Return the URL of a page by its name; `parts` replace the usual arguments."""
    url_pattern = map_patterns_by_name()[name]
    path_values = get_url_arguments(name, world) | parts
    return reverse(name, kwargs={key: path_values[key] for key in url_pattern.pattern.converters})
