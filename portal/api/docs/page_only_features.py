"""Features that are available on pages only, with reasons. A test compares the list with all pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageOnlyFeature:
    """Feature without an API operation, the reason, and the URL names of its pages."""

    name: str
    reason: str
    pages: tuple[str, ...] = ()


PAGE_ONLY_FEATURES = (
    PageOnlyFeature(
        "Creating or joining a company",
        "it requires a verified email address",
        ("company_invited", "company_join", "company_new", "invitation"),
    ),
    PageOnlyFeature(
        "Creating and revoking tokens",
        "tokens can't manage tokens",
        ("company_tokens", "tokens", "token_revoke"),
    ),
    PageOnlyFeature(
        "Secrets and endpoints of issue monitoring",
        "secrets are shown once, and GitHub uses the endpoints",
        ("watch", "hook"),
    ),
    PageOnlyFeature(
        "Calendar feeds of due dates",
        "the URL is a secret that is shown once",
        ("calendar_feed", "calendar_feed_make"),
    ),
    PageOnlyFeature("Viewing test accounts", "the API never returns secrets"),
    PageOnlyFeature(
        "User accounts",
        "name, time zone, second factor, and theme are personal settings",
        ("account_email", "enrollment", "profile", "second_factor_required", "security_log", "theme"),
    ),
    PageOnlyFeature(
        "Unsubscribing with one click", "the link in the email authorizes it", ("notices_stop", "report_stop")
    ),
    PageOnlyFeature(
        "Badges, statements, and signing keys",
        "they have public URLs that require no token",
        (
            "badge",
            "badge_json",
            "badge_key",
            "badge_keys",
            "badge_shields",
            "badge_statement",
            "badge_statement_compact",
            "badge_svg",
            "verify",
        ),
    ),
    PageOnlyFeature(
        "Feeds, sitemap, and logos",
        "they have public URLs that require no token",
        ("feed_atom", "feed_json", "listing_logo", "robots", "sitemap"),
    ),
    PageOnlyFeature(
        "Help pages",
        "the glossary, rules, and help are documentation",
        ("check_help", "checks_help", "clock_rule", "help", "standing_rule", "styleguide", "welcome", "words"),
    ),
    PageOnlyFeature("Portal status", "/status.json is available without a token", ("healthz", "status", "status_json")),
    PageOnlyFeature(
        "Version constraints and installation instructions",
        "the page shows how Terraform resolves registry versions",
        ("install",),
    ),
    PageOnlyFeature(
        "Single Crossplane definitions",
        "the archive contains all definitions",
        ("crossplane_file", "crossplane_resource"),
    ),
    PageOnlyFeature("SLA trend charts", "they are based on clocks, which the API lists", ("sla_trends",)),
    PageOnlyFeature(
        "Endpoints for run task tests",
        "they implement the interface of HCP Terraform",
        ("run_task_callback", "run_task_configuration", "run_task_plan"),
    ),
    PageOnlyFeature("API documentation", "the pages describe the API", ("api_docs", "api_document", "api_missing")),
)


def render_markdown_list() -> str:
    """Return the features as a Markdown list."""
    return "\n".join(f"- {feature.name}: {feature.reason}." for feature in PAGE_ONLY_FEATURES)
