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
        ("partners:accept_invitation", "partners:join", "partners:create", "partners:invitation"),
    ),
    PageOnlyFeature(
        "Creating and revoking tokens",
        "tokens can't manage tokens",
        ("api:partner_tokens", "api:tokens", "api:revoke_token"),
    ),
    PageOnlyFeature(
        "Secrets and endpoints of issue monitoring",
        "secrets are shown once, and GitHub uses the endpoints",
        ("sla:monitoring", "inbound:github_webhook"),
    ),
    PageOnlyFeature(
        "Calendar feeds of due dates",
        "the URL is a secret that is shown once",
        ("inbox:calendar_feed", "inbox:create_calendar_feed"),
    ),
    PageOnlyFeature("Viewing test accounts", "the API never returns secrets"),
    PageOnlyFeature(
        "User accounts",
        "name, time zone, second factor, and theme are personal settings",
        (
            "accounts:email_addresses",
            "accounts:enrollment",
            "accounts:profile",
            "accounts:second_factor_required",
            "accounts:security_log",
            "dashboard:theme",
        ),
    ),
    PageOnlyFeature(
        "Unsubscribing with one click", "the link in the email authorizes it", ("inbox:stop", "reports:stop")
    ),
    PageOnlyFeature(
        "Badges, statements, and signing keys",
        "they have public URLs that require no token",
        (
            "directory:badge",
            "directory:badge_json",
            "directory:badge_key",
            "directory:badge_keys",
            "directory:badge_shields",
            "directory:badge_statement",
            "directory:badge_statement_compact",
            "directory:badge_svg",
            "directory:verify_badge",
        ),
    ),
    PageOnlyFeature(
        "Feeds, sitemap, and logos",
        "they have public URLs that require no token",
        ("directory:feed_atom", "directory:feed_json", "directory:logo", "directory:robots", "directory:sitemap"),
    ),
    PageOnlyFeature(
        "Help pages",
        "the glossary, rules, and help are documentation",
        (
            "checks:check_help",
            "checks:help",
            "help:clock_help",
            "help:index",
            "help:compliance_help",
            "styleguide:styleguide",
            "help:getting_started",
            "help:glossary",
        ),
    ),
    PageOnlyFeature(
        "Portal status",
        "/status.json is available without a token",
        ("status:healthz", "status:index", "status:json"),
    ),
    PageOnlyFeature(
        "Version constraints and installation instructions",
        "the page shows how Terraform resolves registry versions",
        ("directory:installation",),
    ),
    PageOnlyFeature(
        "Single Crossplane definitions",
        "the archive contains all definitions",
        ("schemas:crd_file", "schemas:crd"),
    ),
    PageOnlyFeature("SLA trend charts", "they are based on clocks, which the API lists", ("reports:trends",)),
    PageOnlyFeature(
        "Endpoints for run task tests",
        "they implement the interface of HCP Terraform",
        ("inbound:run_task_callback", "inbound:run_task_configuration", "inbound:run_task_plan"),
    ),
    PageOnlyFeature("API documentation", "the pages describe the API", ("api:docs", "api:openapi", "api:not_found")),
)


def render_markdown_list() -> str:
    """Return the features as a Markdown list."""
    return "\n".join(f"- {feature.name}: {feature.reason}." for feature in PAGE_ONLY_FEATURES)
