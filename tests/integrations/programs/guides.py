"""Facts of the Terraform guide of October 2021 and the Nomad guide of April 2021, to compare the portal with.

The sentences are the summaries of the editions, compared with the guides. The tests keep them unchanged.
"""

PROVIDER = ("terraform-provider", "2021-10")
RUN_TASK = ("terraform-run-task", "2021-10")
NOMAD = ("nomad", "2021-04")
GUIDES = [PROVIDER, RUN_TASK, NOMAD]

CATEGORIES = {
    PROVIDER: [
        ("Public Cloud", "Global clouds that offer infrastructure, platform, and software services."),
        ("Container Orchestration", "Provisioning and deployment of containers."),
        ("IaaS", "Infrastructure as a service, including storage, networking, and virtualization."),
        ("Security & Authentication", "Authentication and security monitoring."),
        ("Asset Management", "Management of software licenses, hardware, and cloud resources."),
        ("CI/CD", "Continuous integration, delivery, and deployment."),
        ("Logging & Monitoring", "Loggers, metrics, and monitoring services."),
        ("Utility", "Utilities for random values, files, HTTP requests, and time."),
        ("Cloud Automation", "Automated management of cloud infrastructure, such as configuration management."),
        ("Data Management", "Data center storage, backup, and recovery."),
        ("Networking", "Physical and virtual routers, switches, firewalls, and SD-WAN products."),
        ("VCS", "Version control, including projects, teams, and repositories."),
        ("Comms & Messaging", "Communication, email, and messaging platforms."),
        ("Database", "Provisioning and configuration of databases."),
        (
            "PaaS",
            "Platform as a service of any size, including smaller and more specialized providers, with hardware, "
            "software, and tools for building applications.",
        ),
        ("Web Services", "Web hosting, web performance, CDN, and DNS."),
    ],
    RUN_TASK: [
        ("Code Scanning", "Reviews of configurations for errors and security issues."),
        ("Cost Estimation", "Deployment cost estimates based on previous deployments."),
        ("Monitoring", "Performance monitoring."),
        ("Zero Trust Security", "Verification of connections before they can access systems."),
        ("Audit", "Code quality checks, threat prevention, and additional code analysis."),
        ("ITSM", "IT service management, including implementation and delivery of IT workflows."),
        ("SSO", "Single sign-on for secure user access."),
        ("CI/CD", "Continuous integration, delivery, and deployment."),
        ("VCS", "Tracking and management of code changes."),
    ],
    NOMAD: [
        ("CI/CD", "Continuous integration and delivery."),
        ("Container Runtime", "Task drivers, which run workloads."),
        (
            "GPUs & Other Hardware Devices",
            "Device plugins, which detect special hardware and make it available to workloads.",
        ),
        ("Monitoring", "Monitoring and analysis of Nomad and its workloads."),
        ("Artifact Repo", "Storage for the artifacts that jobs download."),
        ("Networking", "Connections between workloads and to external networks."),
        ("Storage", "Storage plugins, which provide volumes for stateful workloads."),
        ("Autoscaling", "Autoscaling plugins, which control when and how Nomad scales."),
    ],
}

STEPS = {
    PROVIDER: [
        ("prepare", "Build the provider with the development kit, under an allowed license."),
        (
            "publish",
            "Publish the provider in the Terraform Registry yourself. If your company has several providers, use one "
            "organization.",
        ),
        ("apply", "Apply to the Technology Partner Program, or contact HashiCorp Alliances."),
        ("verify", "HashiCorp Alliances verifies the provider in the Registry and lists it on the HashiCorp website."),
        ("support", "Maintain the provider and resolve the issues that users report."),
    ],
    RUN_TASK: [
        ("engage", "Join the Technology Partner Program."),
        (
            "develop-test",
            "Build on the run task API. Run tasks support only the pre-apply stage, between plan and apply. They are "
            "in beta, can change, and are enabled by default for the business tier only. Other customers can request "
            "access.",
        ),
        (
            "review",
            "Meet with your Alliances manager, or email the program mailbox. Enable the integration, explain the use "
            "case, and give a live demo.",
        ),
        ("release", "The run task page shows your summary after you complete the review and the documentation."),
        ("support", "Maintain the integration and resolve the issues that users report."),
    ],
    NOMAD: [
        ("engage", "Describe your integration. The program tracks it and tells you about similar work."),
        ("enable", "Read the development resources. Following their structure and patterns speeds up the review."),
        (
            "dev-test",
            "Build the integration in Go under MPL-2.0, with acceptance tests and documentation for each major part.",
        ),
        (
            "review",
            "HashiCorp reviews the code and verifies the integration, in several rounds if necessary. The program "
            "might ask for a permanent test account so that it can verify the integration again later.",
        ),
        (
            "release",
            "Host the plugin where users can download it. HashiCorp lists the integration after both sides sign the "
            "agreement.",
        ),
        ("support", "Maintain and improve the integration, and resolve the issues that users report."),
    ],
}

# name, description, namespace, whether it is granted at release
TIERS = {
    PROVIDER: [
        ("Official", "Owned and maintained by HashiCorp.", "hashicorp", False),
        (
            "Verified",
            "Owned and maintained by a technology partner whose authenticity HashiCorp has verified.",
            "The partner's organization, such as cisco/aci",
            True,
        ),
        (
            "Community",
            "Published by individuals, groups, or other members of the community.",
            "The maintainer's account, such as cyrilgdn/postgresql",
            False,
        ),
        (
            "Archived",
            "Formerly Official or Verified, but no longer maintained. For example, its API was removed or interest "
            "was low.",
            "hashicorp or the partner's organization",
            False,
        ),
    ],
    RUN_TASK: [
        (
            "Verified",
            "HashiCorp has verified the integration, and the partner is a member of the Technology Partner Program.",
            "",
            True,
        )
    ],
    NOMAD: [("Verified", "Reviewed by HashiCorp and supported by its vendor.", "", True)],
}

# badges, benefits, listing
LISTINGS = {
    PROVIDER: (
        ("Verified, in the Terraform Registry",),
        ("Listing on the HashiCorp website as a technology partner integration",),
        "Terraform Registry as Verified, and the HashiCorp website",
    ),
    RUN_TASK: (
        ("Terraform Cloud",),
        ("Badge that distinguishes the integration for joint customers", "Listing on the run task page"),
        "Run task page of the Terraform documentation website",
    ),
    NOMAD: ((), ("Listing on the HashiCorp website as a verified integration",), "HashiCorp website"),
}

REMOVALS = {
    PROVIDER: (
        "HashiCorp can remove the Verified status if a provider is no longer maintained. Providers that a vendor "
        "leaves to the community are no longer listed as Verified."
    ),
    RUN_TASK: (
        "HashiCorp doesn't verify integrations without partner support or list them on the Terraform documentation "
        "website."
    ),
    NOMAD: "HashiCorp doesn't verify or list integrations that their vendors don't support.",
}

# requirement: the commitment that the listing waits for
COMMITMENTS = {
    "TP-SLA": "We resolve critical issues within 48 hours and all others within 5 business days",
    "RT-8": (
        "We track and resolve critical issues as soon as possible, ideally within 48 hours, and all others within 5 "
        "business days"
    ),
    "NO-9": "We track and resolve critical issues within 48 hours and all others within 5 business days",
}

# questions of a form: key, type, required
QUESTIONS = {
    "TP-APPLY": [
        ("contact_name", "text", True),
        ("contact_email", "email", True),
        ("company", "lines", True),
        ("users", "lines", True),
    ],
    "TP-SLA": [("escalation", "email", True), ("plan", "lines", True), ("commitment", "yes", True)],
    "RT-3": [
        ("stages", "choices", True),
        ("endpoint", "url", False),
        ("passing", "yes", True),
        ("failing", "yes", True),
    ],
    "RT-5": [("documentation", "url", True)],
    "RT-6": [("summary", "lines", True)],
    "RT-7": [
        ("contact_name", "text", True),
        ("contact_email", "email", True),
        ("more_contacts", "lines", False),
        ("faq", "lines", True),
    ],
    "RT-8": [
        ("tracker", "url", True),
        ("escalation", "email", True),
        ("plan", "lines", True),
        ("commitment", "yes", True),
    ],
    "NO-1": [
        ("contact_name", "text", True),
        ("contact_email", "email", True),
        ("use_case", "lines", True),
        ("users", "lines", True),
        ("ready", "date", False),
    ],
    "NO-3": [("documentation", "url", True), ("tests", "lines", True)],
    "NO-8-LIST": [("text", "lines", True), ("page", "url", False), ("download", "url", False)],
    "NO-9": [
        ("tracker", "url", True),
        ("escalation", "email", True),
        ("plan", "lines", True),
        ("commitment", "yes", True),
    ],
}

STATEMENTS = {
    "TP-DOC": (
        "The Registry renders the provider's documentation, including an overview and at least one resource or data "
        "source."
    ),
    "TP-VERIFY": "The Registry namespace belongs to the company that applied.",
    "NO-CODE": (
        "All code in this integration is written in Go and licensed under MPL-2.0, or the integration has no code."
    ),
    "NO-4": "The code and the test logs are ready for review.",
    "NO-5": "Every review finding has a response, all acceptance tests pass, and development is complete.",
    "NO-8-DONE": "The integration and its documentation are complete, and all acceptance tests pass.",
}
