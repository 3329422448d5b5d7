"""What is the Vault integration program? Seven items, VA-1 to VA-7, and the gates of its runtime integrations."""

from integrations.programs.content.common import (
    PARTNER_MAILBOX,
    RESOLVE_48_HOURS_5_DAYS,
    build_attestation,
    build_credentials,
    build_documentation,
    build_feedback_attestation,
    build_hints,
    build_listing_text,
    build_logo,
    build_mnda,
    build_partner_agreement,
    build_support_plan,
    build_webform,
)
from integrations.programs.content.licenses import NO_LICENSE_RULE
from integrations.programs.schema import (
    Category,
    Edition,
    FulfillingParty,
    Program,
    Question,
    Requirement,
    RequirementKind,
    ResourceLink,
    Stage,
    Step,
    Tier,
)

DOCS = "https://developer.hashicorp.com/vault"
FORUM = ResourceLink("Vault community forum", "https://discuss.hashicorp.com/c/vault")
TUTORIALS = ResourceLink("Vault tutorials", f"{DOCS}/tutorials")
AUTH_METHODS = ResourceLink("Auth methods documentation", f"{DOCS}/docs/auth")
PORTAL = ResourceLink("Vault plugin portal", f"{DOCS}/docs/plugins/plugin-portal")

CATEGORIES = (
    Category(
        "authentication-methods",
        "Authentication Methods",
        "Plugins that let Vault authenticate people or machines against your platform.",
        (
            AUTH_METHODS,
            ResourceLink(
                "How to build a secure plugin", "https://www.hashicorp.com/blog/building-a-vault-secure-plugin"
            ),
            ResourceLink("Sample plugin code", "https://github.com/hashicorp/vault-auth-plugin-example"),
        ),
    ),
    Category(
        "runtime-integrations",
        "Runtime Integrations",
        "Products that work with a running Vault, for secrets, certificates or keys; hardware security modules too.",
        (
            TUTORIALS,
            AUTH_METHODS,
            ResourceLink("HSM documentation", f"{DOCS}/docs/enterprise/hsm"),
            ResourceLink("HSM configuration (PKCS#11)", f"{DOCS}/docs/configuration/seal/pkcs11"),
        ),
    ),
    Category(
        "audit-monitoring-compliance",
        "Audit/Monitoring & Compliance",
        "Takes in and evaluates the log of every request to Vault and every answer.",
        (ResourceLink("Audit devices documentation", f"{DOCS}/docs/audit"),),
    ),
    Category(
        "secrets-engines",
        "Secrets Engines",
        "Plugins that store, make or encrypt secrets.",
        (
            ResourceLink("Secrets engines documentation", f"{DOCS}/docs/secrets"),
            ResourceLink("Custom secrets engines tutorials", f"{DOCS}/tutorials/custom-secrets-engine"),
        ),
    ),
)
PLUGINS = ("authentication-methods", "secrets-engines")
RUNTIME = ("runtime-integrations",)

DEVELOPMENT_DOCUMENTATION = build_documentation(
    "VA-2",
    "Developed and tested, with documentation, ready for review",
    "Stands for the mail that asks for the review: with it, the review can be requested.",
    Question("tests", "How it was tested, and where to look", "lines", max_length=1000),
)
AUTH = Requirement(
    "VA-AUTH",
    "An auth method other than Token",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Long-lived tokens are no way to run in production, so Token alone is not verified.",
    fields=(
        Question(
            "methods",
            "Auth methods supported besides Token",
            "choices",
            options=(
                ("approle", "AppRole"),
                ("jwt", "JWT/OIDC"),
                ("cert", "TLS certificates"),
                ("userpass", "Username and password"),
                ("other", "Another one"),
                ("hsm", "Does not apply: a hardware security module"),
            ),
        ),
    ),
    categories=RUNTIME,
    links=(AUTH_METHODS,),
)
NAMESPACES = build_attestation(
    "VA-NS",
    "Namespaces",
    "The integration works with namespaces, and not with the root namespace alone.",
    "Needed for Vault Enterprise's badge and for HCP Vault, whose top namespace is called admin.",
    optional=True,
    links=(ResourceLink("Namespaces", f"{DOCS}/docs/enterprise/namespaces"),),
)
HSM = build_attestation(
    "VA-HSM",
    "PKCS#11 for hardware security modules",
    "The hardware security module speaks PKCS#11 with Vault.",
    "For hardware security modules only.",
    optional=True,
    categories=RUNTIME,
)
HCP = build_attestation(
    "VA-HCP",
    "Tested with HCP Vault",
    "The integration runs on AWS and was tested against HCP Vault.",
    "Needed for the HCP Vault badge only; HCP Vault runs on AWS.",
    optional=True,
    links=(ResourceLink("Create a cluster on HCP", f"{DOCS}/tutorials/cloud/get-started-vault"),),
)
DEMO = Requirement(
    "VA-5",
    "Demonstration of the integration",
    FulfillingParty.BOTH,
    RequirementKind.MEETING,
    "Propose times; the reviewer watches it at work.",
    meeting_items=("Live demonstration",),
)
PLUGIN_PORTAL = Requirement(
    "VA-PORTAL",
    "Pull request for the Vault plugin portal",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Users look for plugins there; encouraged, in addition to the partner page.",
    optional=True,
    fields=(Question("pull_request", "Address of the pull request", "url"),),
    categories=PLUGINS,
    links=(PORTAL,),
)
LISTING_HINTS = build_hints("VA-6-SEEN", "What users meet", "listing.links", "listing.contacts")

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Say what you build. Storage back ends, auto-auth and auto-unseal are not encouraged: ask first.",
        (build_webform("VA-1", "Vault"),),
    ),
    Step(
        "enable",
        "Enable",
        Stage.DEVELOP,
        "Read the material; its structure and patterns make the review quick.",
        (build_mnda("VA-MNDA"),),
        (
            TUTORIALS,
            ResourceLink(
                "Sample development by a partner: Venafi", "https://www.hashicorp.com/integrations/venafi/vault/"
            ),
            ResourceLink("Example runtime integration: F5", "https://www.hashicorp.com/integrations/f5/vault"),
            ResourceLink(
                "Example runtime integration: ServiceNow", "https://www.hashicorp.com/integrations/servicenow/vault"
            ),
            FORUM,
        ),
    ),
    Step(
        "develop-test",
        "Develop and Test",
        Stage.DEVELOP,
        "Build it with documentation; support several auth methods and leave the paths of secrets engines open.",
        (
            DEVELOPMENT_DOCUMENTATION,
            AUTH,
            NAMESPACES,
            HSM,
            HCP,
            build_hints(
                "VA-CODE-SEEN", "What the code shows", "plugin.name", "go.module", "go.tests", categories=PLUGINS
            ),
        ),
        (ResourceLink("HCP sign-up", "https://portal.cloud.hashicorp.com/"),),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "HashiCorp verifies the integration, in several rounds if need be, and then asks for the partner agreement.",
        (
            build_feedback_attestation("VA-3"),
            build_credentials("VA-4"),
            DEMO,
            build_partner_agreement("VA-6", Stage.SUPPORT),
        ),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "Plugins are best hosted on GitHub. The listing follows the signed agreement.",
        (
            build_logo("VA-6-LOGO"),
            build_listing_text("VA-6-LIST", "your partner page on hashicorp.com"),
            PLUGIN_PORTAL,
            LISTING_HINTS,
        ),
        (PORTAL,),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the integration and resolve what users report.",
        (
            build_support_plan(
                "VA-7",
                "We track and resolve critical issues within 48 hours and all others within 5 business days",
                where=True,
            ),
        ),
    ),
)

EDITION_2022 = Edition(
    date="2022-01",
    title="Vault Integration Program",
    source="hashicorp/vault: website/content/docs/partnerships.mdx at 03fa453355, dated by what it mentions",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox=PARTNER_MAILBOX,
    licenses=NO_LICENSE_RULE,
    sla=RESOLVE_48_HOURS_5_DAYS,
    listing="Partner page on hashicorp.com, and the Vault plugin portal for plugins",
    removal="An integration that its partner does not support is not verified and cannot be listed on the website.",
    tiers=(
        Tier("verified", "Verified", "Verified by HashiCorp and supported by its partner.", granted_at_release=True),
    ),
    offerings=("Open Source", "Enterprise", "HCP Vault"),
    links=(FORUM, TUTORIALS, PORTAL),
    badges=("Vault Enterprise Verified", "HCP Vault Verified"),
    badge_terms="Vault Enterprise Verified is for integrations that work with its features, such as namespaces, HSM "
    "support or key management; HCP Vault Verified for those verified with HCP Vault. Shown on the partner page, "
    "and on the partner's own website.",
    benefits=("A partner page on hashicorp.com", "Badges for the partner's own website"),
)

PROGRAM = Program(
    key="vault",
    product="Vault",
    name="Vault",
    summary="A Vault plugin, or a product that uses a running Vault.",
    chooser="Should your product keep its secrets in Vault, or extend what Vault can do?",
    editions=(EDITION_2022,),
    needs_repository=False,
)
