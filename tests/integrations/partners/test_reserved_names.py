"""Tests of names that imitate the program's owner, its products, or other companies."""

from contextlib import suppress
from datetime import datetime
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.partners.reserved_names import compute_lookalike_key, find_reserved_name
from integrations.partners.services import profiles
from portal.core.bulk_changes import bulk_changes
from portal.core.errors import ActionRefused

IMITATIONS = """
HashiCorp|HashiCorp Inc.|HashiCorp Partners|The HashiCorp Company|hashi corp|Hashi-Corp|HASHICORP|HаshiCorp|H4shiCorp
HashlCorp|HashICorp|Hash1Corp|HashiCorpLabs|MyHashiCorp|Hashicorpp|Hasshicorp|Hashicrop|H a s h i C o r p|Hash!Corp
H@shiCorp|ＨａｓｈｉＣｏｒｐ|Háshícörp|Ηashicorp|Terraform|Official Terraform Inc|Terraform Cloud|Terraform Enterprise
TerraformPro|Terrraform|Teraform|Terraforrn|Terra Form|T.e.r.r.a.f.o.r.m|Terr4form|Terraf0rm|Тerraform|Terrafоrm
Terrafrom|Terr@form|Terraform™|GetTerraform|𝗧𝗲𝗿𝗿𝗮𝗳𝗼𝗿𝗺|Vault|Vault Inc|VAULT|V4ult|Vau1t|VauIt|Vаult|Vɑult|ᴠᴀᴜʟᴛ|ꓦault
V a u l t|Vault Enterprise|VaultOfficial|The Vault Team|Vault2|Vаu1t Support|Consul|Consul Cloud|C0nsul|Con$ul|ConsuI
Con Sul|Ćonsul|Consul Partners|Nomad|Nomad Official|N0mad|Nornad|Nømad|Nomad GmbH|No Mad|Packer|Packer Ltd|P4cker|Pаckеr
Boundary|B0undary|Boundary Labs|Waypoint|Way Point|VVaypoint|Waурoint|Vagrant|Vaɡrant|Vagrant Cloud|Sentinel|5entinel
Sentine1|ѕentinel|HCP|HCP Terraform|HCP Vault|H.C.P.|IBM|Hashi|Hashi Labs|テラフォーム|Терраформ
"""
LEGITIMATE_NAMES = """
Vaultree|Nomadic Labs|Consulting Group|Packers & Co|Vaulted Systems|Nomadix|Consultia|Packerland Foods|Boundaryless
Waypoints Travel|Vagrants Records|Sentinelle|SentinelOne|Acme Rockets|Umbra Security|Initech Networks|Terra Firma
Terraforming Mars Games|Terrafirma Capital|TerraLogic|Hashimoto Consulting|Hash Labs|Hashgraph|Cash Corp|Corporate Hash
Consulate Software|Consulate General|Bound Analytics|Way Forward|Pointway|Paco|HPC Systems|HCL Technologies|IBS Software
Datadog|Snowflake|Cloudflare|MongoDB|Palo Alto Networks|O'Neil & Söhne GmbH|日本Tech|Яндекс|1Password|Okta|F5|Nomadia
Gnomad Outdoors|Default Systems|Vaulty|Pole Vaulting Club|Form Terra|Transform|Terra Formations|Sensu|Consol Energy
Nimbus|Monad Labs|Packet|Backpacker Media|Tracker Labs|Øresund Data
"""


def split_names(names: str) -> list[str]:
    return [name for line in names.strip().splitlines() for name in line.split("|")]


def test_lists_have_100_imitations_and_61_legitimate_names() -> None:
    assert (len(split_names(IMITATIONS)), len(split_names(LEGITIMATE_NAMES))) == (100, 61)


@pytest.mark.any_database
@pytest.mark.parametrize("name", split_names(IMITATIONS))
def test_imitation_is_refused_or_needs_a_decision(db: None, erin: Any, now: datetime, name: str) -> None:
    assert find_reserved_name(name)
    with suppress(ActionRefused), bulk_changes():  # without the search index
        profiles.create_partner(name, domain="initech.example", actor=erin, now=now)
    assert [each.verification_state for each in Partner.objects.all()] in ([], ["needs_decision"])


@pytest.mark.any_database
@pytest.mark.parametrize("name", split_names(LEGITIMATE_NAMES))
def test_legitimate_name_needs_no_decision(erin: Any, now: datetime, name: str) -> None:
    with bulk_changes():  # without the search index
        partner = profiles.create_partner(name, domain="initech.example", actor=erin, now=now)
    assert partner.verification_state == "verified"


@pytest.mark.parametrize(
    "name", ["Globex GmbH", "Globex, Inc.", "Globex S.A.", "Globexs", "Giobex", "Gl0bex Ltd", "GLOBEX Corp", "Gløbex"]
)
def test_lookalike_of_another_company_is_refused_or_needs_a_decision(
    globex: Partner, erin: Any, now: datetime, name: str
) -> None:
    with suppress(ActionRefused):
        profiles.create_partner(name, actor=erin, now=now)
    assert [each.verification_state for each in Partner.objects.exclude(pk=globex.pk)] in ([], ["needs_decision"])
    assert Partner.objects.get(pk=globex.pk).verification_state == "verified"


def test_lookalike_key_ignores_legal_forms_and_similar_letters() -> None:
    assert {compute_lookalike_key(name) for name in ("Globex GmbH", "GIobex", "Gl0bex, Inc.")} == {"globex"}
    assert compute_lookalike_key("Globex Data") == "globexdata"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Acme Rockets", "acmerocket"),
        ("Acme-Rocket S.A.", "acmerocket"),
        ("Acme & Galaxies", "acmegalaxy"),
        ("Acme and Galaxy", "acmegalaxy"),
        ("Acme AWS Glass", "acmeawsglass"),
        ("Corpus", "corpus"),
    ],
)
def test_lookalike_key_ignores_plurals_and_punctuation(name: str, key: str) -> None:
    assert compute_lookalike_key(name) == key.replace("i", "l")
