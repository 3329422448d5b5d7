"""What is the Nomad integration program? Its nine-item checklist carries the ids NO-1 to NO-9."""

from integrations.programs.content.common import (
    BECOME_A_PARTNER,
    RESOLVE_48_HOURS_5_DAYS,
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
    Stage,
    Step,
    Tier,
)

DOCS = "https://developer.hashicorp.com/nomad"
SOURCE = ResourceLink("Nomad's source code", "https://github.com/hashicorp/nomad")
FORUM = ResourceLink("Nomad developer community forum", "https://discuss.hashicorp.com/c/nomad")
DEVELOPER_LIST = ResourceLink("Nomad mailing list", "https://groups.google.com/g/nomad-tool")

CATEGORIES = (
    Category("ci-cd", "CI/CD", "Continuous integration and delivery."),
    Category(
        "container-runtime",
        "Container Runtime",
        "Task drivers: how Nomad runs a workload.",
        (
            ResourceLink("Task driver documentation", f"{DOCS}/docs/drivers"),
            ResourceLink("Guide to a task driver plugin", f"{DOCS}/docs/concepts/plugins/task-drivers"),
            ResourceLink("Community examples of task drivers", f"{DOCS}/plugins/drivers/community"),
        ),
        plugin="driver",
    ),
    Category(
        "gpus-hardware-devices",
        "GPUs & Other Hardware Devices",
        "Device plugins: how Nomad finds and hands out special hardware.",
        (
            ResourceLink("Device plugin documentation", f"{DOCS}/docs/devices"),
            ResourceLink("Guide to a device plugin", f"{DOCS}/docs/concepts/plugins/devices"),
            ResourceLink("Template of a device plugin", "https://github.com/hashicorp/nomad-skeleton-device-plugin"),
            ResourceLink("Example of a device plugin", "https://github.com/hashicorp/nomad-device-nvidia"),
        ),
        plugin="device",
    ),
    Category(
        "monitoring",
        "Monitoring",
        "Observes and analyses Nomad and what it runs.",
        (ResourceLink("Telemetry documentation", f"{DOCS}/docs/operations/monitoring-nomad"),),
    ),
    Category("artifact-repo", "Artifact Repo", "Stores the artifacts that jobs fetch."),
    Category("networking", "Networking", "Connects workloads to each other and to the outside."),
    Category(
        "storage",
        "Storage",
        "Storage plugins: volumes for workloads that keep data.",
        (ResourceLink("Storage plugin documentation", f"{DOCS}/docs/concepts/plugins/csi"),),
    ),
    Category(
        "autoscaling",
        "Autoscaling",
        "Autoscaling plugins: when and how Nomad grows and shrinks.",
        (ResourceLink("Autoscaling plugin documentation", f"{DOCS}/tools/autoscaling"),),
    ),
)
PLUGINS = ("container-runtime", "gpus-hardware-devices", "storage", "autoscaling")
TESTABLE_CATEGORIES = ("container-runtime", "gpus-hardware-devices")  # whose plugins the portal can speak to
OTHER_CATEGORIES = ("ci-cd", "monitoring", "artifact-repo", "networking")

DEVELOPMENT_DOCUMENTATION = build_documentation(
    "NO-3",
    "Developed and tested, with documentation",
    "The review reads the tests and the documentation together with the code.",
    Question("tests", "Where the acceptance tests are and how to run them", "lines", max_length=1000),
)
# Machine checks are for the plugins, which always have code; others may have none, so the partner says so.
CODE = (
    build_check(
        "NO-LIC", "MPL-2.0", "Put the text of MPL-2.0 into a LICENSE file.", "repository.license", categories=PLUGINS
    ),
    build_check("NO-GO", "Written in Go", "Nomad takes plugins in Go only.", "repository.language", categories=PLUGINS),
    build_attestation(
        "NO-CODE",
        "Go and MPL-2.0 for whatever code there is",
        "All code of this integration is written in Go and carries MPL-2.0, or it has no code of its own.",
        "The rule holds for every integration that brings code.",
        categories=OTHER_CATEGORIES,
    ),
)
READINESS_ATTESTATION = build_attestation(
    "NO-4",
    "Ready for the initial review",
    "The code and the logs of its tests can be reviewed now.",
    "Stands for the mail to the mailbox: with it, the review can be requested.",
    Stage.REVIEW,
)
DEMO = Requirement(
    "NO-7",
    "Demonstration of the integration",
    FulfillingParty.BOTH,
    RequirementKind.MEETING,
    "Show it live, or send the logs of its tests, or do both.",
    group="demonstration",
    meeting_items=("Live demonstration",),
)
LOGS = Requirement(
    "NO-7-LOGS",
    "Logs of the tests",
    FulfillingParty.PARTNER,
    RequirementKind.DOCUMENT,
    "Send the logs of the acceptance tests, or show it live, or do both.",
    group="demonstration",
    accept=("txt", "zip", "pdf"),
)
PULL_REQUEST = Requirement(
    "NO-PR",
    "Pull request against the Nomad project",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Task, device, storage and autoscaling plugins are also brought before Nomad's own developers.",
    fields=(Question("pull_request", "Address of the pull request", "url"),),
    categories=PLUGINS,
    links=(SOURCE,),
)
PULL_REQUEST_HINTS = build_hints("NO-PR-SEEN", "State of the pull request", "plugin.pull_request", categories=PLUGINS)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Say what you build: the program tracks it, and tells you who else works on the same.",
        (build_webform("NO-1", "Nomad"),),
    ),
    Step(
        "enable",
        "Enable",
        Stage.DEVELOP,
        "Read the material; its structure and patterns make the review quick.",
        (build_mnda("NO-2"),),
        (
            ResourceLink(
                "Contributing to Nomad guidelines", "https://github.com/hashicorp/nomad/tree/main/contributing"
            ),
            FORUM,
            DEVELOPER_LIST,
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
            *CODE,
            build_hints(
                "NO-CODE-SEEN", "What the code shows", "go.module", "go.tests", "plugin.name", categories=PLUGINS
            ),
            build_hints(
                "NO-TRIED", "What the portal's rehearsal showed", "plugin.rehearsal", categories=TESTABLE_CATEGORIES
            ),
        ),
        (ResourceLink("Go", "https://go.dev/"), ResourceLink("MPL-2.0", "https://www.mozilla.org/MPL/2.0/")),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "HashiCorp reviews the code and verifies the integration, in several rounds if need be. A permanent test "
        "account may be asked for, so that it can be verified again later.",
        (
            READINESS_ATTESTATION,
            build_feedback_attestation("NO-5"),
            build_credentials("NO-6", permanent=True),
            DEMO,
            LOGS,
            PULL_REQUEST,
            PULL_REQUEST_HINTS,
        ),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "Host the plugin wherever users can download it. The listing follows the signed agreement.",
        (
            build_partner_agreement("NO-8"),
            build_logo("NO-8-LOGO"),
            build_listing_text("NO-8-LIST", "the HashiCorp website"),
            build_hints("NO-8-SEEN", "What users meet", "release.download", "listing.links", "listing.contacts"),
        ),
        (BECOME_A_PARTNER,),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the integration, extend it and resolve what users report.",
        (
            build_support_plan(
                "NO-9",
                "We track and resolve critical issues within 48 hours and all others within 5 business days",
                where=True,
            ),
        ),
    ),
)

EDITION_2021 = Edition(
    date="2021-04",
    title="Nomad Integration Program",
    source="hashicorp/nomad: website/content/docs/partnerships.mdx, April 2021",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox="Nomad-integration-dev@hashicorp.com",
    licenses=GO_AND_MPL,
    sla=RESOLVE_48_HOURS_5_DAYS,
    listing="HashiCorp website",
    removal="An integration that its vendor does not support is not verified and cannot be listed on the website.",
    tiers=(
        Tier("verified", "Verified", "Reviewed by HashiCorp and supported by its vendor.", granted_at_release=True),
    ),
    offerings=("Open Source", "Enterprise"),
    groups=(RequirementGroup("demonstration", "A demonstration, the logs of the tests, or both"),),
    links=(FORUM, DEVELOPER_LIST, SOURCE),
    badge_terms="Logos are used as the logo guidelines say that come with the partner agreement.",
    benefits=("Listed on the HashiCorp website as a verified integration",),
)

PROGRAM = Program(
    key="nomad",
    product="Nomad",
    name="Nomad",
    summary="A plugin or another integration with the Nomad scheduler.",
    chooser="Should Nomad run, place, watch or scale workloads with the help of your product?",
    editions=(EDITION_2021,),
    needs_repository=False,
)
