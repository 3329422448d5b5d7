"""Features that are available on pages only, with reasons."""

PAGE_ONLY_FEATURES = {
    "Creating or joining a company": "it requires a verified email address",
    "Creating and revoking tokens": "tokens can't manage tokens",
    "Secrets and endpoints of issue monitoring": "secrets are shown once, and GitHub uses the endpoints",
    "Calendar feeds of due dates": "the URL is a secret that is shown once",
    "Viewing test accounts": "the API never returns secrets",
    "User accounts": "name, time zone, second factor, and theme are personal settings",
    "Unsubscribing with one click": "the link in the email authorizes it",
    "Badges, statements, and signing keys": "they have public URLs that require no token",
    "Feeds, sitemap, and logos": "they have public URLs that require no token",
    "Help pages": "the glossary, rules, and help are documentation",
    "Portal status": "/status.json is available without a token",
    "Version constraints and installation instructions": "the page shows how Terraform resolves registry versions",
    "Single Crossplane definitions": "the archive contains all definitions",
    "SLA trend charts": "they are based on clocks, which the API lists",
    "Endpoints for run task tests": "they implement the interface of HCP Terraform",
    "API documentation": "the pages describe the API",
}


def render_markdown_list() -> str:
    """Return the features as a Markdown list."""
    return "\n".join(f"- {name}: {reason}." for name, reason in PAGE_ONLY_FEATURES.items())
