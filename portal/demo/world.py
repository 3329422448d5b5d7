"""What is going on in the demo world? One line an integration: where it stands and what happened on the way."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorldEntry:
    """One integration. `until`: the stage it is driven to; `then`: what happens there; `days`: begun how long ago."""

    company: str
    program: str
    name: str
    repository: str
    about: str
    until: str
    then: str = ""
    days: int = 30
    category: int = 0
    edition: str = ""


WORLD = (
    WorldEntry("Acme Rockets", "terraform-provider", "Rocket", "acme-rockets/terraform-provider-rocket",
          "Launch sites, boosters and flights as code.", "develop", "begun", 4, 2),
    WorldEntry("Acme Rockets", "terraform-run-task", "Rocket preflight", "acme-rockets/rocket-preflight",
          "Stops a run that would launch on a closed range.", "review", "changes", 40, 3),
    WorldEntry("Acme Rockets", "nomad", "Booster driver", "acme-rockets/nomad-driver-booster",
          "Runs workloads on booster hardware.", "support", "", 120, 1),
    WorldEntry("Acme Rockets", "vault", "Launch codes", "acme-rockets/vault-plugin-secrets-launch",
          "Leases launch codes for one flight.", "release", "", 60, 3),
    WorldEntry("Globex", "terraform-provider", "Globex Cloud", "globex/terraform-provider-globex",
          "Compute, storage and DNS of Globex Cloud.", "review", "", 25, 0),
    WorldEntry("Globex", "terraform-provider", "Globex Firewall", "globex/terraform-provider-globexfw",
          "Rules and zones of the Globex firewall.", "support", "premier", 200, 10),
    WorldEntry("Globex", "nomad", "Globex metrics", "globex/nomad-globex-metrics",
          "Sends allocation metrics to Globex.", "engage", "", 2, 3),
    WorldEntry("Initech Networks", "consul-nia", "Switch sync", "initech/terraform-initech-switch-nia",
          "Keeps switch tables in step with services.", "develop", "", 12, 0),
    WorldEntry("Initech Networks", "consul", "Mesh gateway", "initech/consul-mesh-gateway",
          "A data plane for the mesh.", "review", "", 18, 0),
    WorldEntry("Initech Networks", "terraform-provider", "Initech Switch", "initech/terraform-provider-initech",
          "Ports and VLANs of Initech switches.", "review", "round two", 50, 10, "2021-10"),
    WorldEntry("Umbra Security", "vault", "Umbra HSM", "umbra-sec/vault-umbra-hsm",
          "Seals with Umbra's modules.", "review", "", 8, 1),
    WorldEntry("Umbra Security", "terraform-run-task", "Umbra scan", "umbra-sec/umbra-scan",
          "Scans plans for exposed services.", "support", "", 150, 2),
    WorldEntry("Umbra Security", "packer", "Umbra hardener", "umbra-sec/packer-plugin-umbra",
          "Hardens images while they are built.", "develop", "", 9, 2),
    WorldEntry("Nordlicht Cloud", "terraform-provider", "Nordlicht", "nordlicht/terraform-provider-nordlicht",
          "Servers in the north.", "support", "", 240, 0, "2021-10"),
    WorldEntry("Nordlicht Cloud", "packer", "Nordlicht builder", "nordlicht/packer-plugin-nordlicht",
          "Builds images for Nordlicht Cloud.", "review", "on hold", 33, 1),
    WorldEntry("Nordlicht Cloud", "nomad", "Nordlicht autoscaler", "nordlicht/nomad-nordlicht-autoscaler",
          "Scales node pools in the north.", "declined", "", 70, 7),
    WorldEntry("Kestrel Data", "nomad", "Kestrel volumes", "kestrel/nomad-kestrel-csi",
          "Volumes that follow the workload.", "review", "waived", 21, 6),
    WorldEntry("Kestrel Data", "terraform-run-task", "Kestrel cost", "kestrel/kestrel-cost",
          "Says what a plan will cost.", "engage", "", 1, 4),
    WorldEntry("Kestrel Data", "vault", "Kestrel database", "kestrel/vault-plugin-kestrel",
          "Short-lived database users.", "support", "archived", 300, 3),
    WorldEntry("Globex", "terraform-run-task", "Globex budget", "globex/globex-budget",
          "Stops a run that costs more than its team may spend.", "review", "meeting", 16, 4),
    WorldEntry("Marlow Metrics", "nomad", "Marlow tracer", "marlow/nomad-marlow-tracer",
          "Follows a request through every allocation.", "release", "signed", 28, 3),
    WorldEntry("Umbra Security", "nomad", "Umbra runtime", "umbra-sec/nomad-driver-umbra",
          "Runs workloads that trust nothing.", "review", "approved", 20, 1),
    WorldEntry("Nordlicht Cloud", "terraform-provider", "Nordlicht DNS", "nordlicht/terraform-provider-nordlichtdns",
          "Zones and records in the north.", "develop", "failing", 7, 0),
    WorldEntry("Papaya Pipelines", "terraform-run-task", "Papaya gate", "papaya/papaya-gate",
          "Asks the pipeline before a run applies.", "release", "", 45, 2),
    WorldEntry("Papaya Pipelines", "consul", "Papaya rollout", "papaya/papaya-consul",
          "Rolls services out step by step.", "support", "", 180, 2),
    WorldEntry("Papaya Pipelines", "nomad", "Papaya deploy", "papaya/nomad-papaya",
          "Deploys jobs from a pipeline.", "develop", "", 6, 0),
    WorldEntry("Tanuki Systems", "consul-nia", "Tanuki balancer", "tanuki/terraform-tanuki-lb-nia",
          "Feeds pools from the catalog.", "support", "", 160, 0),
    WorldEntry("Tanuki Systems", "packer", "Tanuki images", "tanuki/packer-plugin-tanuki",
          "Builds images for small machines.", "support", "", 110, 1),
    WorldEntry("Tanuki Systems", "vault", "Tanuki login", "tanuki/vault-plugin-auth-tanuki",
          "Signs machines in by their badge.", "engage", "withdrawn", 15, 0),
    WorldEntry("Tanuki Systems", "consul", "Tanuki edge", "tanuki/consul-tanuki-edge",
          "Registers services at the edge.", "develop", "", 14, 0),
    WorldEntry("Kestrel Data", "terraform-provider", "Kestrel warehouse", "kestrel/terraform-provider-kestrel",
          "Warehouses, roles and grants of Kestrel.", "support", "excused", 310, 6),
    WorldEntry("Tanuki Systems", "terraform-provider", "Tanuki dashboards", "tanuki/terraform-provider-tanuki",
          "Dashboards, alerts and teams of Tanuki.", "support", "", 190, 9),
    WorldEntry("Papaya Pipelines", "terraform-provider", "Papaya", "papaya/terraform-provider-papaya",
          "Pipelines, runners and secrets of Papaya.", "support", "", 130, 1),
    WorldEntry("Initech Networks", "terraform-provider", "Initech Proxy", "initech/terraform-provider-initechproxy",
          "Routes and certificates of the Initech proxy.", "support", "suspended", 280, 10),
    WorldEntry("Initech Networks", "terraform-run-task", "Initech drift", "initech/initech-drift",
          "Shows what has drifted before a plan is applied.", "support", "", 170, 6),
    WorldEntry("Papaya Pipelines", "terraform-run-task", "Papaya approvals", "papaya/papaya-approvals",
          "Asks the people on call before a run applies.", "support", "", 145, 2),
    WorldEntry("Globex", "terraform-run-task", "Globex audit", "globex/globex-audit",
          "Keeps a record of every plan for auditors.", "support", "", 210, 1),
    WorldEntry("Umbra Security", "vault", "Umbra badges", "umbra-sec/vault-plugin-auth-umbra",
          "Signs people in by their Umbra badge.", "support", "", 230, 0),
    WorldEntry("Tanuki Systems", "nomad", "Tanuki devices", "tanuki/nomad-device-tanuki",
          "Hands small accelerators to tasks.", "support", "delisted", 290, 2),
    WorldEntry("Acme Rockets", "packer", "Rocket images", "acme-rockets/packer-plugin-rocket",
          "Builds images for flight computers.", "support", "stepped down", 260, 1),
    WorldEntry("Nordlicht Cloud", "nomad", "Nordlicht volumes", "nordlicht/nomad-nordlicht-csi",
          "Volumes in the north for any workload.", "support", "", 100, 6),
)  # fmt: skip
