"""What is the Packer integration program? Nine items, parallel to Nomad's, without promised figures."""

from integrations.programs.content.common import (
    BECOME_A_PARTNER,
    attested,
    checked,
    credentials,
    documentation,
    feedback_addressed,
    hints,
    listing_text,
    logo,
    mnda,
    partner_agreement,
    support_plan,
    webform,
)
from integrations.programs.content.licenses import GO_AND_MPL
from integrations.programs.schema import (
    Category,
    Edition,
    Field,
    Group,
    Kind,
    Link,
    Program,
    Requirement,
    Sla,
    Stage,
    Step,
    Tier,
    Verb,
    Who,
)

DOCS = "https://developer.hashicorp.com/packer/docs/plugins/creation"
EXAMPLE = "https://github.com/hashicorp/packer-plugin-hashicups/tree/main"
FORUM = Link("Packer developer community forum", "https://discuss.hashicorp.com/c/packer/23")
SOURCE = Link("Packer's source code", "https://github.com/hashicorp/packer")

CATEGORIES = (
    Category(
        "data-sources",
        "Data Sources",
        "Fetch values from an outside API for use in a template.",
        (
            Link("Custom data sources documentation", f"{DOCS}/custom-datasources"),
            Link("Example data source", f"{EXAMPLE}/datasource"),
        ),
    ),
    Category(
        "builders",
        "Builders",
        "Start a machine, run the provisioners on it and save an image of it.",
        (
            Link("Custom builders documentation", f"{DOCS}/custom-builders"),
            Link("Example builder", f"{EXAMPLE}/builder/order"),
        ),
    ),
    Category(
        "provisioners",
        "Provisioners",
        "Install and configure what belongs into the image.",
        (
            Link("Custom provisioners documentation", f"{DOCS}/custom-provisioners"),
            Link("Example provisioner", f"{EXAMPLE}/provisioner/toppings"),
        ),
    ),
    Category(
        "post-processors",
        "Post-Processors",
        "Work on the finished image: compress it, upload it.",
        (
            Link("Custom post-processors documentation", f"{DOCS}/custom-post-processors"),
            Link("Example post-processor", f"{EXAMPLE}/post-processor/receipt"),
        ),
    ),
)

DEVELOPED = documentation(
    "PK-3",
    "Developed and tested, with documentation",
    "The review reads the tests and the documentation together with the code.",
    Field("tests", "Where the acceptance tests are and how to run them", "lines", max_length=1000),
)
READY = attested(
    "PK-4",
    "Ready for the initial review",
    "The code and the logs of its tests can be reviewed now.",
    "Stands for the mail to the mailbox: with it, the review can be requested.",
    Stage.REVIEW,
)
DEMO = Requirement(
    "PK-7",
    "Demonstration of the integration",
    Who.BOTH,
    Kind.MEETING,
    "Show it live, or send the logs of its tests, or do both.",
    group="demonstration",
    meeting_items=("Live demonstration",),
)
LOGS = Requirement(
    "PK-7-LOGS",
    "Logs of the tests",
    Who.PARTNER,
    Kind.DOCUMENT,
    "Send the logs of the acceptance tests, or show it live, or do both.",
    group="demonstration",
    accept=("txt", "zip", "pdf"),
)
REGISTERED = Requirement(
    "PK-DOC",
    "Plugin documentation registered with Packer",
    Who.PARTNER,
    Kind.FORM,
    "Packer's website shows a plugin's pages once a pull request against the Packer project registers them.",
    fields=(Field("pull_request", "Address of the pull request", "url"),),
    links=(SOURCE,),
)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Say what you build: the program tracks it, and tells you who else works on the same.",
        (webform("PK-1", "Packer"),),
    ),
    Step(
        "enable",
        "Enable",
        Stage.DEVELOP,
        "Read the material; its structure and patterns make the review quick.",
        (mnda("PK-2"),),
        (
            Link("Guide to writing plugins", DOCS),
            Link("Sample development by a partner", "https://github.com/exoscale/packer-plugin-exoscale"),
            Link("Scaffolding repository", "https://github.com/hashicorp/packer-plugin-scaffolding"),
            Link(
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
            DEVELOPED,
            checked("PK-LIC", "MPL-2.0", "Put the text of MPL-2.0 into a LICENSE file.", "repository.licence"),
            checked("PK-GO", "Written in Go", "Packer takes plugins in Go only.", "repository.language"),
            hints("PK-CODE-SEEN", "What the code shows", "go.module", "go.tests", "plugin.packer_sdk"),
        ),
        (
            Link("Packer plugin SDK", "https://github.com/hashicorp/packer-plugin-sdk"),
            Link("Go", "https://go.dev/"),
            Link("MPL-2.0", "https://www.mozilla.org/MPL/2.0/"),
        ),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "HashiCorp reviews the code and verifies the integration, in several rounds if need be.",
        (
            READY,
            feedback_addressed("PK-5"),
            credentials("PK-6"),
            DEMO,
            LOGS,
            REGISTERED,
            hints("PK-DOC-SEEN", "State of the pull request", "plugin.pull_request"),
        ),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "Host the plugin on GitHub, where packer init finds its releases. The listing follows the signed agreement.",
        (
            checked(
                "PK-REL",
                "A public release on GitHub",
                "packer init installs plugins from releases of public repositories named packer-plugin-NAME.",
                "repository.public",
                "repository.owner",
                "repository.name",
                "repository.release",
            ),
            partner_agreement("PK-8"),
            logo("PK-8-LOGO"),
            listing_text("PK-8-LIST", "the HashiCorp website"),
            hints("PK-8-SEEN", "What users meet", "listing.links", "listing.contacts"),
        ),
        (Link("Creating a release", f"{DOCS}#creating-a-github-release"), BECOME_A_PARTNER),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the plugin, extend it and resolve what users report.",
        (support_plan("PK-9", "We track and resolve all issues on an ongoing basis"),),
    ),
)

EDITION_2022 = Edition(
    date="2022-12",
    title="Packer Integration Program",
    source="hashicorp/packer: website/content/docs/partnerships.mdx at 09ec2fc5bf, dated by what it mentions",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox="packer-integration-dev@hashicorp.com",
    licences=GO_AND_MPL,
    sla=Sla(Verb.TRACK, "The partner has a mechanism to track and resolve all issues on an ongoing basis."),
    listing="HashiCorp website",
    removal="An integration that its vendor does not support is not verified and cannot be listed on the website.",
    tiers=(
        Tier("verified", "Verified", "Reviewed by HashiCorp and supported by its vendor.", granted_at_release=True),
    ),
    offerings=("Open Source", "HCP Packer"),
    groups=(Group("demonstration", "A demonstration, the logs of the tests, or both"),),
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
