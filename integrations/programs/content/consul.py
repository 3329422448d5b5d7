"""What is the Consul integration program? Four items, CO-1 to CO-4; it promises answers, not solutions."""

from integrations.programs.content.common import (
    CRITICAL_48_HOURS,
    OTHER_5_DAYS,
    PARTNER_MAILBOX,
    build_attestation,
    build_hints,
    build_listing_text,
    build_logo,
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
    Sla,
    Stage,
    Step,
    TargetType,
    Tier,
)

DOCS = "https://developer.hashicorp.com/consul"
INTEGRATIONS = "https://www.hashicorp.com/integrations"
FORUM = ResourceLink("Consul community forum", "https://discuss.hashicorp.com/c/consul")

CATEGORIES = (
    Category(
        "data-plane",
        "Data Plane",
        "Proxies, API gateways, performance monitoring and logging around the service mesh.",
        (
            ResourceLink("Proxy: how to integrate a sidecar", f"{DOCS}/docs/connect/proxies/integrate"),
            ResourceLink("Proxy: example of Envoy", f"{DOCS}/docs/connect/proxies/envoy"),
            ResourceLink("API gateway: Ambassador", f"{DOCS}/tutorials/developer-mesh/service-mesh-gateway-ambassador"),
            ResourceLink("API gateway: F5 terminating gateway", f"{INTEGRATIONS}/f5-networks/consul"),
            ResourceLink(
                "API gateway: Traefik",
                "https://traefik.io/blog/integrating-consul-connect-service-mesh-with-traefik-2-5/",
            ),
            ResourceLink("API gateway: Kong", f"{INTEGRATIONS}/kong/consul"),
            ResourceLink("Performance monitoring: telemetry", f"{DOCS}/docs/agent/telemetry"),
            ResourceLink("Performance monitoring: Datadog", "https://www.datadoghq.com/blog/consul-datadog/"),
            ResourceLink("Logging: Logz.io", f"{INTEGRATIONS}/logz-io/consul"),
            ResourceLink("Logging: Splunk SignalFx", f"{INTEGRATIONS}/splunksignalfx/consul"),
            ResourceLink("Logging: New Relic", f"{INTEGRATIONS}/new-relic/consul"),
        ),
    ),
    Category("control-plane", "Control Plane", "The servers and clients that steer the service mesh."),
    Category(
        "platform",
        "Platform",
        "Automates how Consul agents are deployed, configured and managed, on any kind of platform.",
        (
            ResourceLink("AWS Cloud Map", f"{DOCS}/tutorials/archive/sync-aws-services"),
            ResourceLink("AWS ECS", f"{DOCS}/docs/ecs"),
            ResourceLink("Layer5 Meshery", f"{INTEGRATIONS}/layer5-io/consul"),
        ),
    ),
    Category(
        "infrastructure",
        "Infrastructure",
        "Firewalls, software-defined networks, load balancers and delivery controllers, natively or through CTS.",
        (
            ResourceLink("Firewall, through CTS: Check Point", f"{INTEGRATIONS}/checkpoint-software/consul"),
            ResourceLink("Firewall, through CTS: Palo Alto Networks", f"{INTEGRATIONS}/pan/consul"),
            ResourceLink("Software-defined network: Cisco ACI", f"{INTEGRATIONS}/cisco/consul"),
            ResourceLink("Load balancer: NGINX", f"{DOCS}/tutorials/load-balancing/load-balancing-nginx"),
            ResourceLink("Load balancer: HAProxy", f"{DOCS}/tutorials/load-balancing/load-balancing-haproxy"),
            ResourceLink("Delivery controller, through CTS: Citrix ADC", f"{INTEGRATIONS}/citrix-adc/consul"),
        ),
    ),
)

DEVELOPMENT_ATTESTATION = build_attestation(
    "CO-2",
    "Integration developed and tested",
    "The integration follows the examples and the documentation, and its unit and acceptance tests pass.",
    "The review starts from an integration that already works.",
)
HCP = build_attestation(
    "CO-HCP",
    "Tested with HCP Consul",
    "The integration runs on AWS and was tested against HCP Consul.",
    "Needed for the HCP Consul badge only; HCP Consul runs on AWS.",
    optional=True,
    links=(ResourceLink("Get started with HCP Consul", f"{DOCS}/tutorials/get-started-hcp"),),
)
REVIEW_MATERIAL = Requirement(
    "CO-3",
    "Documentation and other material for the review",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Stands for the mail that asks for the review: with it, the review can be requested.",
    Stage.REVIEW,
    fields=(
        Question("documentation", "Address of the documentation", "url", public="Documentation"),
        Question("demonstration", "Address of a demonstration", "url", required=False),
        Question("more", "Other material", "lines", required=False),
    ),
)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Say who you are and which integration you build.",
        (build_webform("CO-1", "Consul"),),
    ),
    Step(
        "enable",
        "Enable",
        Stage.DEVELOP,
        "Read the documentation, the examples of your category and the best practice.",
        links=(
            ResourceLink("Consul documentation", f"{DOCS}/docs"),
            ResourceLink("HCP Consul features", "https://cloud.hashicorp.com/docs/consul/features"),
            ResourceLink("Consul Enterprise features", f"{DOCS}/docs/enterprise"),
            FORUM,
        ),
    ),
    Step(
        "develop-test",
        "Develop and Test",
        Stage.DEVELOP,
        "Build it with unit and acceptance tests.",
        (DEVELOPMENT_ATTESTATION, HCP),
        (
            ResourceLink("Peering a network to a VPC for HCP Consul", "https://www.youtube.com/watch?v=vuKjkIGYZlU"),
            ResourceLink(
                "Monitoring HCP Consul with Datadog", "https://docs.datadoghq.com/integrations/guide/hcp-consul/"
            ),
        ),
    ),
    Step(
        "review",
        "Review/Certification",
        Stage.REVIEW,
        "HashiCorp reviews the integration and approves it.",
        (REVIEW_MATERIAL,),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "HashiCorp lists the integration.",
        (
            build_listing_text("CO-LIST", "your partner page on hashicorp.com"),
            build_logo("CO-LOGO", optional=True),
            build_hints("CO-SEEN", "What users meet", "listing.links", "listing.contacts"),
        ),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the integration, extend it and answer what users report.",
        (
            build_support_plan(
                "CO-4",
                "We respond to critical issues within 48 hours and to all others within 5 business days",
                where=True,
            ),
        ),
    ),
)

EDITION_2022 = Edition(
    date="2022-01",
    title="Consul Integration Program",
    source="hashicorp/consul: website/content/docs/integrate/partnerships.mdx at 0525b71864, dated by what it mentions",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox=PARTNER_MAILBOX,
    licenses=NO_LICENSE_RULE,
    sla=Sla(
        TargetType.RESPOND,
        "Critical issues are answered within 48 hours, all others within 5 business days.",
        CRITICAL_48_HOURS,
        OTHER_5_DAYS,
    ),
    listing="Partner page on hashicorp.com",
    removal="The program publishes no rule of its own; an integration without support is taken up with its partner.",
    tiers=(Tier("verified", "Verified", "Reviewed and approved by HashiCorp.", granted_at_release=True),),
    offerings=("Open Source", "Enterprise", "HCP Consul"),
    links=(FORUM,),
    badges=("HCP Consul Verified",),
    badge_terms="For integrations validated with HCP Consul: on the partner page and on the partner's own website.",
    benefits=("A partner page on hashicorp.com", "A badge for integrations validated with HCP Consul"),
)

PROGRAM = Program(
    key="consul",
    product="Consul",
    name="Consul",
    summary="A product that works with Consul's service mesh, discovery or platform, directly.",
    chooser="Should your product work with Consul directly, without Terraform in between?",
    editions=(EDITION_2022,),
    needs_repository=False,
)
