"""What is the Consul NIA program? For Terraform modules that Consul-Terraform-Sync runs when services change."""

from integrations.programs.content.common import (
    RESOLVE_48_HOURS_5_DAYS,
    build_attestation,
    build_check,
    build_documentation,
    build_hints,
    build_support_plan,
    build_webform,
)
from integrations.programs.content.licenses import OPEN_SOURCE_LIST
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

CONSUL = "https://developer.hashicorp.com/consul/docs"
TERRAFORM = "https://developer.hashicorp.com/terraform"
MODULE_GUIDE = ResourceLink("Guide to compatible modules", f"{CONSUL}/nia/terraform-modules")
FORUM = ResourceLink("Consul community forum", "https://discuss.hashicorp.com/c/consul")

PROVIDER = Requirement(
    "NI-2",
    "A verified Terraform provider for the technology",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "The module stands on it; without one, begin with the Terraform provider program.",
    fields=(
        Question(
            "provider", "Provider in the Terraform Registry", help="NAMESPACE/NAME, as in cisco/aci.", max_length=140
        ),
    ),
    links=(ResourceLink("Providers in the Registry", "https://registry.terraform.io/browse/providers"),),
)
MODULE = build_attestation(
    "NI-5",
    "A compatible module",
    "The module has the standard structure, takes the input variable services, and needs no less than Terraform 0.13.",
    "Consul-Terraform-Sync hands the services over in that variable.",
    links=(MODULE_GUIDE,),
)
SAMPLES = build_attestation(
    "NI-6",
    "One or two sample modules ready for the first review",
    "One or two sample modules stand in the public repository.",
    "The review begins early, before every module is written.",
    Stage.REVIEW,
)
COMPATIBILITY = build_documentation(
    "NI-7",
    "Documentation with compatible versions",
    "Users must see beforehand whether it works with what they run.",
    Question("cts_versions", "Compatible versions of Consul-Terraform-Sync", max_length=200),
    Question("platform_versions", "Compatible versions of your platform", max_length=200),
)
FINAL_REVIEW_ATTESTATION = build_attestation(
    "NI-8",
    "Final review",
    "The development is finished, every finding has been answered, and the public repository holds the final code.",
    "Stands for the second mail, which asks for the final review.",
)
LISTING_ATTESTATION = build_attestation(
    "NI-9",
    "Listed on consul.io",
    "The module is listed as compatible with Consul-Terraform-Sync on consul.io.",
    "This comes first; the publication in the Registry follows.",
    who=FulfillingParty.PROGRAM,
)
IN_REGISTRY = Requirement(
    "NI-10",
    "Module published in the Terraform Registry",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Users install the module from there.",
    fields=(Question("module", "Address of the module in the Registry", "url"),),
    links=(ResourceLink("Publishing a module", f"{TERRAFORM}/registry/modules/publish"),),
)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Say what you build, and name the verified provider on which it stands.",
        (build_webform("NI-1", "NIA"), PROVIDER),
    ),
    Step(
        "enable",
        "Enable",
        Stage.DEVELOP,
        "Read the documentation and the sample modules.",
        links=(
            ResourceLink("Consul documentation", CONSUL),
            ResourceLink("Consul-Terraform-Sync documentation", f"{CONSUL}/nia"),
            MODULE_GUIDE,
            ResourceLink(
                "Tutorial: a compatible module",
                "https://developer.hashicorp.com/consul/tutorials/network-infrastructure-automation/"
                "consul-terraform-sync-module",
            ),
            ResourceLink(
                "Example module: PAN-OS", "https://registry.terraform.io/modules/PaloAltoNetworks/dag-nia/panos/latest"
            ),
            ResourceLink(
                "Example module: simple print", "https://registry.terraform.io/modules/findkim/print/cts/latest"
            ),
            ResourceLink("Template of a module", "https://github.com/hashicorp/consul-terraform-sync-template-module"),
            ResourceLink("Publishing guidelines of the Registry", f"{TERRAFORM}/registry/modules/publish"),
            FORUM,
        ),
    ),
    Step(
        "develop-test",
        "Develop & Test",
        Stage.DEVELOP,
        "Write modules that each serve one workflow on one platform, and test them against that platform.",
        (
            build_check(
                "NI-3",
                "A public repository under its published name",
                "Modules live in public GitHub repositories named terraform-PROVIDER-NAME-nia.",
                "repository.public",
                "repository.owner",
                "repository.name",
            ),
            build_check(
                "NI-4",
                "An allowed license",
                "Put one of the allowed licenses into a LICENSE file; an unclear one is decided by a reviewer.",
                "repository.license",
            ),
            MODULE,
            build_hints("NI-5-SEEN", "What the module shows", "nia.services", "nia.terraform", "nia.provider"),
        ),
        (
            ResourceLink("Developing modules", f"{TERRAFORM}/language/modules/develop"),
            ResourceLink("Tutorial: build a module", f"{TERRAFORM}/tutorials/modules/module-create"),
        ),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "HashiCorp reviews one or two sample modules first and the finished code at the end.",
        (SAMPLES, COMPATIBILITY, FINAL_REVIEW_ATTESTATION),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "The module is listed on consul.io, then published in the Terraform Registry.",
        (
            LISTING_ATTESTATION,
            IN_REGISTRY,
            build_hints("NI-10-SEEN", "What users meet", "listing.links", "listing.contacts"),
        ),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the module and resolve what users report.",
        (
            build_support_plan(
                "NI-11", "We resolve critical issues within 48 hours and all others within 5 business days"
            ),
        ),
    ),
)

EDITION_2022 = Edition(
    date="2022-01",
    title="Network Infrastructure Automation Integration Program",
    source="hashicorp/consul: website/content/docs/integrate/nia-integration.mdx at 005adac462, "
    "dated by what it mentions",
    steps=STEPS,
    categories=(
        Category(
            "network-infrastructure-automation",
            "Network Infrastructure Automation",
            "Changes network and security devices whenever services in Consul's catalog change.",
        ),
    ),
    mailbox="nia-integration-dev@hashicorp.com",
    licenses=OPEN_SOURCE_LIST,
    sla=RESOLVE_48_HOURS_5_DAYS,
    listing="consul.io as compatible with Consul-Terraform-Sync, then the Terraform Registry",
    removal="Modules of partners who do not follow the program are not listed on consul.io.",
    tiers=(Tier("verified", "Verified", "Reviewed by HashiCorp as compatible with CTS.", granted_at_release=True),),
    offerings=("Open Source", "Enterprise"),
    links=(FORUM, MODULE_GUIDE),
    badge_terms="The listing on consul.io names the module as verified; the program gives no badge of its own.",
    benefits=("Listed on consul.io as a compatible module",),
)

PROGRAM = Program(
    key="consul-nia",
    product="Consul",
    name="Consul NIA",
    summary="A Terraform module that Consul-Terraform-Sync runs when services change.",
    chooser="Should your network or security devices follow Consul's services through Terraform?",
    editions=(EDITION_2022,),
    repository_pattern=r"^terraform-[a-z0-9]+-[a-z0-9-]+-nia$",
    repository_hint="terraform-PROVIDER-NAME-nia, in lower case",
)
