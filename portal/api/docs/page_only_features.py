"""What stays in pages alone, and why? One table: the API lists it; a test compares it with every page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageOnlyFeature:
    """Something that no operation does, why, and the names of its pages."""

    name: str
    reason: str
    pages: tuple[str, ...] = ()


PAGE_ONLY_FEATURES = (
    PageOnlyFeature(
        "Joining or beginning a company",
        "it proves one's mail address",
        ("company_invited", "company_join", "company_new", "invitation"),
    ),
    PageOnlyFeature(
        "Making and revoking tokens",
        "a token makes no tokens and revokes none",
        ("company_tokens", "tokens", "token_revoke"),
    ),
    PageOnlyFeature(
        "The secrets of watching a repository", "they are shown once, or GitHub posts there", ("watch", "hook")
    ),
    PageOnlyFeature(
        "The calendar of one's deadlines",
        "its address is a secret, shown once",
        ("calendar_feed", "calendar_feed_make"),
    ),
    PageOnlyFeature("Reading a test account", "nothing of the API tells a secret"),
    PageOnlyFeature(
        "The account itself",
        "name, zone, second factor and theme are settings of who signs in",
        ("account_email", "enrollment", "profile", "second_factor_required", "security_log", "theme"),
    ),
    PageOnlyFeature(
        "Stopping a mail with one click", "the link in the mail is the proof", ("notices_stop", "report_stop")
    ),
    PageOnlyFeature(
        "Badges, their statements and keys",
        "they have addresses of their own that need no token",
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
        "Feeds, sitemap and logos",
        "they have addresses of their own that need no token",
        ("feed_atom", "feed_json", "listing_logo", "robots", "sitemap"),
    ),
    PageOnlyFeature(
        "Explanations",
        "words, rules and help are for reading",
        ("check_help", "checks_help", "clock_rule", "help", "standing_rule", "styleguide", "welcome", "words"),
    ),
    PageOnlyFeature(
        "The state of the portal", "/status.json says it without a token", ("healthz", "status", "status_json")
    ),
    PageOnlyFeature(
        "Trying constraints and installing", "it shows how Terraform reads what the registry holds", ("install",)
    ),
    PageOnlyFeature(
        "One Crossplane definition", "the archive holds them all", ("crossplane_file", "crossplane_resource")
    ),
    PageOnlyFeature(
        "Trends of the clocks in pictures", "they are drawn from the clocks, which can be listed", ("sla_trends",)
    ),
    PageOnlyFeature(
        "Places where a rehearsed service posts",
        "the platform's own interface, not this one",
        ("run_task_callback", "run_task_configuration", "run_task_plan"),
    ),
    PageOnlyFeature("The API's own pages", "they describe it", ("api_docs", "api_document", "api_missing")),
)


def render_markdown_list() -> str:
    """The table in Markdown."""
    return "\n".join(f"- {feature.name}: {feature.reason}." for feature in PAGE_ONLY_FEATURES)
