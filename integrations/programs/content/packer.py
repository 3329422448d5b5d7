"""What is the Packer integration program? Nine items, parallel to Nomad's, without promised figures."""

from integrations.programs.content.common import (
    BECOME_A_PARTNER,
    build_attestation,
    build_check,
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
from integrations.programs.content.licenses import GO_AND_MPL
from integrations.programs.schema import (
    Category,
    Edition,
    FulfillingParty,
    Program,
    Question,
    Requirement,
    RequirementGroup,
    RequirementKind,
    ResourceLink,
    Sla,
    Stage,
    Step,
    TargetType,
    Tier,
)

DOCS = "https://developer.hashicorp.com/packer/docs/plugins/creation"
EXAMPLE = "https://github.com/hashicorp/packer-plugin-hashicups/tree/main"
FORUM = ResourceLink("Packer developer community forum", "https://discuss.hashicorp.com/c/packer/23")
SOURCE = ResourceLink("Packer's source code", "https://github.com/hashicorp/packer")

CATEGORIES = (
    Category(
        "data-sources",
        "Data Sources",
        "Fetch values from an outside API for use in a template.",
        (
            ResourceLink("Custom data sources documentation", f"{DOCS}/custom-datasources"),
            ResourceLink("Example data source", f"{EXAMPLE}/datasource"),
        ),
    ),
    Category(
        "builders",
        "Builders",
        "Start a machine, run the provisioners on it and save an image of it.",
        (
            ResourceLink("Custom builders documentation", f"{DOCS}/custom-builders"),
            ResourceLink("Example builder", f"{EXAMPLE}/builder/order"),
        ),
    ),
    Category(
        "provisioners",
        "Provisioners",
        "Install and configure what belongs into the image.",
        (
            ResourceLink("Custom provisioners documentation", f"{DOCS}/custom-provisioners"),
            ResourceLink("Example provisioner", f"{EXAMPLE}/provisioner/toppings"),
        ),
    ),
    Category(
        "post-processors",
        "Post-Processors",
        "Work on the finished image: compress it, upload it.",
        (
            ResourceLink("Custom post-processors documentation", f"{DOCS}/custom-post-processors"),
            ResourceLink("Example post-processor", f"{EXAMPLE}/post-processor/receipt"),
        ),
    ),
)

DEVELOPMENT_DOCUMENTATION = build_documentation(
    "PK-3",
    "Developed and tested, with documentation",
    "The review reads the tests and the documentation together with the code.",
    Question("tests", "Where the acceptance tests are and how to run them", "lines", max_length=1000),
)
READINESS_ATTESTATION = build_attestation(
    "PK-4",
    "Ready for the initial review",
    "The code and the logs of its tests can be reviewed now.",
    "Stands for the mail to the mailbox: with it, the review can be requested.",
    Stage.REVIEW,
)
DEMO = Requirement(
    "PK-7",
    "Demonstration of the integration",
    FulfillingParty.BOTH,
    RequirementKind.MEETING,
    "Show it live, or send the logs of its tests, or do both.",
    group="demonstration",
    meeting_items=("Live demonstration",),
)
LOGS = Requirement(
    "PK-7-LOGS",
    "Logs of the tests",
    FulfillingParty.PARTNER,
    RequirementKind.DOCUMENT,
    "Send the logs of the acceptance tests, or show it live, or do both.",
    group="demonstration",
    accept=("txt", "zip", "pdf"),
)
DOCUMENTATION_REGISTRATION = Requirement(
    "PK-DOC",
    "Plugin documentation registered with Packer",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Packer's website shows a plugin's pages once a pull request against the Packer project registers them.",
    fields=(Question("pull_request", "Address of the pull request", "url"),),
    links=(SOURCE,),
)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Say what you build: the program tracks it, and tells you who else works on the same.",
        (build_webform("PK-1", "Packer"),),
    ),
    Step(
        "enable",
        "Enable",
        Stage.DEVELOP,
        "Read the material; its structure and patterns make the review quick.",
        (build_mnda("PK-2"),),
        (
            ResourceLink("Guide to writing plugins", DOCS),
            ResourceLink("Sample development by a partner", "https://github.com/exoscale/packer-plugin-exoscale"),
            ResourceLink("Scaffolding repository", "https://github.com/hashicorp/packer-plugin-scaffolding"),
            ResourceLink(
                "Contributing to Packer guidelines",
                "https://github.com/hashicorp/packer/blob/main/.github/CONTRIBUTING.md",
            ),
            FORUM,
            SOURCE,
        ),
    ),
    Step(
        "dev-test",
        "Dev/Test",
        Stage.DEVELOP,
        "Build it in Go under MPL-2.0, with acceptance tests and documentation for each major part.",
        (
            DEVELOPMENT_DOCUMENTATION,
            build_check("PK-LIC", "MPL-2.0", "Put the text of MPL-2.0 into a LICENSE file.", "repository.license"),
            build_check("PK-GO", "Written in Go", "Packer takes plugins in Go only.", "repository.language"),
            build_hints("PK-CODE-SEEN", "What the code shows", "go.module", "go.tests", "plugin.packer_sdk"),
        ),
        (
            ResourceLink("Packer plugin SDK", "https://github.com/hashicorp/packer-plugin-sdk"),
            ResourceLink("Go", "https://go.dev/"),
            ResourceLink("MPL-2.0", "https://www.mozilla.org/MPL/2.0/"),
        ),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "HashiCorp reviews the code and verifies the integration, in several rounds if need be.",
        (
            READINESS_ATTESTATION,
            build_feedback_attestation("PK-5"),
            build_credentials("PK-6"),
            DEMO,
            LOGS,
            DOCUMENTATION_REGISTRATION,
            build_hints("PK-DOC-SEEN", "State of the pull request", "plugin.pull_request"),
        ),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "Host the plugin on GitHub, where packer init finds its releases. The listing follows the signed agreement.",
        (
            build_check(
                "PK-REL",
                "A public release on GitHub",
                "packer init installs plugins from releases of public repositories named packer-plugin-NAME.",
                "repository.public",
                "repository.owner",
                "repository.name",
                "repository.release",
            ),
            build_partner_agreement("PK-8"),
            build_logo("PK-8-LOGO"),
            build_listing_text("PK-8-LIST", "the HashiCorp website"),
            build_hints("PK-8-SEEN", "What users meet", "listing.links", "listing.contacts"),
        ),
        (ResourceLink("Creating a release", f"{DOCS}#creating-a-github-release"), BECOME_A_PARTNER),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the plugin, extend it and resolve what users report.",
        (build_support_plan("PK-9", "We track and resolve all issues on an ongoing basis"),),
    ),
)

EDITION_2022 = Edition(
    date="2022-12",
    title="Packer Integration Program",
    source="hashicorp/packer: website/content/docs/partnerships.mdx at 09ec2fc5bf, dated by what it mentions",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox="packer-integration-dev@hashicorp.com",
    licenses=GO_AND_MPL,
    sla=Sla(TargetType.TRACK, "The partner has a mechanism to track and resolve all issues on an ongoing basis."),
    listing="HashiCorp website",
    removal="An integration that its vendor does not support is not verified and cannot be listed on the website.",
    tiers=(
        Tier("verified", "Verified", "Reviewed by HashiCorp and supported by its vendor.", granted_at_release=True),
    ),
    offerings=("Open Source", "HCP Packer"),
    groups=(RequirementGroup("demonstration", "A demonstration, the logs of the tests, or both"),),
    links=(FORUM, SOURCE),
    badge_terms="Logos are used as the logo guidelines say that come with the partner agreement.",
    benefits=("Listed on the HashiCorp website as a verified integration",),
)

PROGRAM = Program(
    key="packer",
    product="Packer",
    name="Packer",
    summary="A plugin with which Packer builds machine images.",
    chooser="Should Packer build, fill or ship machine images with the help of your product?",
    editions=(EDITION_2022,),
    repository_pattern=r"^packer-plugin-[a-z0-9-]+$",
    repository_hint="packer-plugin-NAME, in lower case",
)
