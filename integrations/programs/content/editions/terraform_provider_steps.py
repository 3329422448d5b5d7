"""Which requirements have both editions of the Terraform provider program in common?

What the partner attests and a machine can see is asked of both: the word of the partner, and beside it the check.
"""

from integrations.programs.content.common import (
    build_application,
    build_attestation,
    build_check,
    build_hints,
    build_listing_text,
    build_logo,
    build_partner_agreement,
    build_support_plan,
)
from integrations.programs.schema import Category, FulfillingParty, Requirement, Stage

LICENSE = build_check(
    "TP-LIC",
    "An allowed license",
    "Put one of the allowed licenses into a LICENSE file; an unclear one is decided by a reviewer.",
    "repository.license",
)
SOURCE = build_check(
    "TP-SRC",
    "A public repository under its published name",
    "The Registry reads providers only from public GitHub repositories named terraform-provider-NAME.",
    "repository.public",
    "repository.name",
    "repository.owner",
    "repository.renamed",
)
RELEASE = build_check(
    "TP-REL",
    "A published release",
    "Publish a release from a tag such as v1.2.3, not as a draft: the Registry makes a version of each.",
    "repository.release",
    "repository.tag_branch",
)
PUBLICATION_CHECK = build_check(
    "TP-PUB",
    "Visible in the Terraform Registry",
    "Sign in to the Registry and publish the repository, then look whether its newest version is there.",
    "registry.listed",
    "registry.releases",
    "registry.latest",
    "registry.platforms",
    "registry.protocols",
    "registry.docs",
)
CODE_HINTS = (
    "go.module",
    "guide.main",
    "guide.resources",
    "guide.tests",
    "guide.client",
    "guide.errors",
    "guide.organization",
    "docs.layout",
    "docs.pages",
    "docs.limits",
    "docs.links",
)
REGISTRY_HINTS = build_hints(
    "TP-REG",
    "What the registry and the listing show",
    "registry.state",
    "registry.tier",
    "listing.links",
    "listing.contacts",
)
SIGNATURE = build_attestation(
    "TP-SIG",
    "A signed release",
    "The release is signed by a key registered in the Terraform Registry.",
    "Add your public key to the Registry first: an unsigned release cannot be installed.",
)
AUTHENTIC_RELEASE = build_check(
    "TP-AUTH",
    "An authentic release",
    "What users download must be what you signed: the names, the checksums, the signature and every archive.",
    "release.files",
    "release.packages",
    "release.protocols",
    "release.checksums",
    "release.signature",
    "keys.registered",
    "release.archive",
    "release.terraform",
    "release.unchanged",
    "release.tag",
    "release.newest",
)
KEY = build_check(
    "TP-KEY",
    "A signing key in good health",
    "A key that ends, changes unannounced or belongs to one person takes your users by surprise.",
    "release.key",
    "keys.expiry",
    "keys.rotation",
    "keys.personal",
)
DOCUMENTATION = build_attestation(
    "TP-DOC",
    "Documentation that renders",
    "The provider's pages render in the Registry: an overview and at least one resource or data source.",
    "Open the provider in the Registry and read its pages once.",
)
APPLICATION = build_application("TP-APPLY")
AGREEMENT = build_partner_agreement("TP-AGREE", needed_for=Stage.RELEASE)
AUTHENTICITY_ATTESTATION = build_attestation(
    "TP-VERIFY",
    "Authenticity of the publisher",
    "The namespace in the Registry belongs to the company that applied.",
    "The program compares the owner of the repository and the namespace with the company.",
    Stage.RELEASE,
    who=FulfillingParty.PROGRAM,
)
LISTING = build_listing_text("TP-LIST", "the HashiCorp website")
LOGO = build_logo("TP-LOGO", optional=True)
SUPPORT = build_support_plan(
    "TP-SLA", "We resolve critical issues within 48 hours and all others within 5 business days"
)

PREPARE: tuple[Requirement, ...] = (LICENSE, SOURCE, build_hints("TP-CODE", "What the code shows", *CODE_HINTS))
PUBLISH: tuple[Requirement, ...] = (RELEASE, SIGNATURE, AUTHENTIC_RELEASE, KEY, PUBLICATION_CHECK, DOCUMENTATION)
APPLY: tuple[Requirement, ...] = (APPLICATION, AGREEMENT)
VERIFY: tuple[Requirement, ...] = (AUTHENTICITY_ATTESTATION, LISTING, LOGO, REGISTRY_HINTS)

CATEGORIES = (
    Category(
        "public-cloud", "Public Cloud", "Global clouds that offer infrastructure, platform and software services."
    ),
    Category("container-orchestration", "Container Orchestration", "Provisioning and deployment of containers."),
    Category("iaas", "IaaS", "Infrastructure as a service: storage, networking and virtualisation."),
    Category("security-authentication", "Security & Authentication", "Authentication and the watch over security."),
    Category("asset-management", "Asset Management", "Upkeep of software licenses, hardware and cloud resources."),
    Category("ci-cd", "CI/CD", "Continuous integration, delivery and deployment."),
    Category("logging-monitoring", "Logging & Monitoring", "Loggers, metrics and monitoring services."),
    Category("utility", "Utility", "Helpers: random values, files, HTTP calls, time."),
    Category(
        "cloud-automation", "Cloud Automation", "Automated care of cloud infrastructure, such as its configuration."
    ),
    Category("data-management", "Data Management", "Storage, backup and recovery in data centres."),
    Category("networking", "Networking", "Routers, switches, firewalls and SD-WAN, as hardware or virtual."),
    Category("vcs", "VCS", "Version control: projects, teams and repositories."),
    Category("comms-messaging", "Comms & Messaging", "Communication, e-mail and messaging platforms."),
    Category("database", "Database", "Provisioning and configuration of databases."),
    Category(
        "paas",
        "PaaS",
        "Platform as a service: hardware, software and tools to build applications, also specialised ones.",
    ),
    Category("web-services", "Web Services", "Web hosting, web performance, CDN and DNS."),
)
