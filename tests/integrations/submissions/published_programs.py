"""Facts of the published program pages, transcribed a second time to compare the programs with."""

PARTNER_MAILBOX = "technologypartners@hashicorp.com"
PARTNER_MAILBOX_2026 = "hashicorp-tech-partners@wwpdl.vnet.ibm.com"

SIX_STAGES = ["engage", "develop", "develop", "review", "release", "support"]
FIVE_STAGES = ["engage", "develop", "review", "release", "support"]
PROVIDER_STAGES = ["develop", "develop", "engage", "review", "support"]

PROVIDER = ["Prepare", "Publish", "Apply", "Verify", "Support"]
RUN_TASK = ["Engage", "Develop & Test", "Review", "Release", "Support"]
DEV_TEST = ["Engage", "Enable", "Dev/Test", "Review", "Release", "Support"]

# (steps, stages, mailbox, number of categories, number of license lines)
EDITIONS = {
    ("consul", "2022-01"): (
        ["Engage", "Enable", "Develop and Test", "Review/Certification", "Release", "Support"],
        SIX_STAGES,
        PARTNER_MAILBOX,
        4,
        0,
    ),
    ("consul-nia", "2022-01"): (
        ["Engage", "Enable", "Develop & Test", "Review", "Release", "Support"],
        SIX_STAGES,
        "nia-integration-dev@hashicorp.com",
        1,
        15,
    ),
    ("nomad", "2021-04"): (DEV_TEST, SIX_STAGES, "Nomad-integration-dev@hashicorp.com", 8, 1),
    ("packer", "2022-12"): (DEV_TEST, SIX_STAGES, "packer-integration-dev@hashicorp.com", 4, 1),
    ("terraform-provider", "2021-10"): (PROVIDER, PROVIDER_STAGES, PARTNER_MAILBOX, 16, 15),
    ("terraform-provider", "2026-06"): (PROVIDER, PROVIDER_STAGES, PARTNER_MAILBOX_2026, 17, 15),
    ("terraform-run-task", "2021-10"): (RUN_TASK, FIVE_STAGES, PARTNER_MAILBOX, 9, 0),
    ("terraform-run-task", "2026-06"): (RUN_TASK, FIVE_STAGES, PARTNER_MAILBOX_2026, 10, 0),
    ("vault", "2022-01"): (
        ["Engage", "Enable", "Develop and Test", "Review", "Release", "Support"],
        SIX_STAGES,
        PARTNER_MAILBOX,
        4,
        0,
    ),
}

RESPOND = [("respond", "critical", 48, None, "required"), ("respond", "other", None, 5, "required")]
RESOLVE = [("resolve", "critical", 48, None, "required"), ("resolve", "other", None, 5, "required")]
IDEAL_RESOLVE = [("resolve", "critical", 48, None, "ideal"), ("resolve", "other", None, 5, "required")]

# verb, severity, hours, business days, "ideally"
SLA_TARGETS = {
    "consul": RESPOND,
    "consul-nia": RESOLVE,
    "nomad": RESOLVE,
    "packer": [],
    "terraform-provider": RESOLVE,
    "terraform-run-task": IDEAL_RESOLVE,
    "vault": RESOLVE,
}

# IDs of the published checklists in their order. Other requirements can come between them.
CHECKLISTS = {
    ("consul", "2022-01"): [f"CO-{n}" for n in range(1, 5)],
    ("consul-nia", "2022-01"): [f"NI-{n}" for n in range(1, 12)],
    ("nomad", "2021-04"): [f"NO-{n}" for n in range(1, 10)],
    ("packer", "2022-12"): [f"PK-{n}" for n in range(1, 10)],
    ("terraform-provider", "2021-10"): [
        "TP-LIC",
        "TP-SIG",
        "TP-PUB",
        "TP-DOC",
        "TP-APPLY",
        "TP-AGREE",
        "TP-VERIFY",
        "TP-SLA",
    ],
    ("terraform-provider", "2026-06"): [
        "TP-LIC",
        "TP-SIG",
        "TP-PUB",
        "TP-DOC",
        "TP-APPLY",
        "TP-AGREE",
        "TP-MEM",
        "TP-FRAME",
        "TP-ACC",
        "TP-FIX",
        "TP-ESC",
        "TP-NIGHT",
        "TP-VERIFY",
        "TP-SLA",
    ],
    ("terraform-run-task", "2021-10"): [f"RT-{n}" for n in range(1, 9)],
    ("terraform-run-task", "2026-06"): [
        "RT-1",
        "RT-2",
        "RT-3",
        "RT-9",
        "RT-4",
        "RT-5",
        "RT-6",
        "RT-7",
        "RT-8",
    ],
    ("vault", "2022-01"): [f"VA-{n}" for n in range(1, 8)],
}

LICENSES = [
    ("CDDL 1.0, 2.0", "CDDL-1.0", "CDDL-1.1"),
    ("CPL 1.0", "CPL-1.0", ""),
    ("Eclipse Public License (EPL) 1.0", "EPL-1.0", "EPL-2.0"),
    ("MPL 1.0, 1.1, 2.0", "MPL-1.0 MPL-1.1 MPL-2.0", "MPL-2.0-no-copyleft-exception"),
    ("PSL 2.0", "", "PSF-2.0 Python-2.0 MulanPSL-2.0"),
    ("Ruby's Licensing", "Ruby", "Ruby-pty"),
    ("AFL 2.1, 3.0", "AFL-2.1 AFL-3.0", ""),
    ("Apache License 2.0", "Apache-2.0", ""),
    ("Artistic License 1.0, 2.0", "Artistic-1.0 Artistic-2.0", "Artistic-1.0-Perl Artistic-1.0-cl8"),
    ("Apache Software License (ASL) 1.1", "Apache-1.1", ""),
    ("Boost Software License", "BSL-1.0", ""),
    ('BSD, BSD 3-clause, "BSD-new"', "BSD-3-Clause", "BSD-2-Clause BSD-4-Clause 0BSD BSD-3-Clause-Clear"),
    ("CC-BY", "CC-BY-1.0 CC-BY-2.0 CC-BY-2.5 CC-BY-3.0 CC-BY-4.0", ""),
    ("Microsoft Public License (MS-PL)", "MS-PL", ""),
    ("MIT", "MIT", "MIT-0"),
]
FORBIDDEN_LICENSES = [
    "BUSL-1.1",
    "GPL-3.0-only",
    "AGPL-3.0-only",
    "LGPL-3.0-only",
    "ISC",
    "Unlicense",
    "CC0-1.0",
    "MS-RL",
    "CPAL-1.0",
]

OFFERINGS = {
    ("consul", "2022-01"): ("Open Source", "Enterprise", "HCP Consul"),
    ("consul-nia", "2022-01"): ("Open Source", "Enterprise"),
    ("nomad", "2021-04"): ("Open Source", "Enterprise"),
    ("packer", "2022-12"): ("Open Source", "HCP Packer"),
    ("terraform-provider", "2021-10"): ("Open Source", "Terraform Cloud", "Terraform Enterprise"),
    ("terraform-provider", "2026-06"): ("Community Edition", "HCP Terraform", "Terraform Enterprise"),
    ("terraform-run-task", "2021-10"): ("Terraform Cloud", "Terraform Enterprise"),
    ("terraform-run-task", "2026-06"): ("HCP Terraform", "Terraform Enterprise"),
    ("vault", "2022-01"): ("Open Source", "Enterprise", "HCP Vault"),
}

CATEGORY_NAMES = {
    ("terraform-provider", "2021-10"): {
        "Public Cloud",
        "Container Orchestration",
        "IaaS",
        "Security & Authentication",
        "Asset Management",
        "CI/CD",
        "Logging & Monitoring",
        "Utility",
        "Cloud Automation",
        "Data Management",
        "Networking",
        "VCS",
        "Comms & Messaging",
        "Database",
        "PaaS",
        "Web Services",
    },
    ("terraform-run-task", "2021-10"): {
        "Code Scanning",
        "Cost Estimation",
        "Monitoring",
        "Zero Trust Security",
        "Audit",
        "ITSM",
        "SSO",
        "CI/CD",
        "VCS",
    },
    ("terraform-run-task", "2026-06"): {
        "AI/MCP Server Integrations",
        "Audit",
        "CI/CD",
        "Code Scanning/Policies/Security",
        "Cost Management",
        "No Code/Low Code/Visual Cloud Design",
        "Observability/Monitoring",
        "SSO",
        "Terraform Providers",
        "VCS",
    },
    ("nomad", "2021-04"): {
        "CI/CD",
        "Container Runtime",
        "GPUs & Other Hardware Devices",
        "Monitoring",
        "Artifact Repo",
        "Networking",
        "Storage",
        "Autoscaling",
    },
}

AGENCIES = [
    ("Crest Data Systems", "malhar@crestdatasys.com", "https://www.crestdatasys.com"),
    ("DigitalOnUs", "hashicorp@digitalonus.com", "https://www.digitalonus.com"),
    ("Akava", "bd@akava.io", "https://www.akava.io"),
    ("OpenCredo", "hashicorp@opencredo.com", "https://www.opencredo.com"),
]
