"""Signs the releases of the demo world's providers: manage.py shell < tests/portal/demo/sign_releases.py.

Needed after a change to what the lists of checksums contain. New keys are generated each time, and none is kept.
"""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace

import yaml
from django.utils import timezone
from pysequoia import CipherSuite, SignatureMode, Tsk, sign

from portal.demo.content import DATA, PAST, WORLD, DemoRepository
from portal.demo.past import build_repository_name, plan_integrations
from portal.demo.repositories import FictionalRepository, build_signed_files
from verification.releases.artifacts import file_names

HEADER = """\
# Public keys of the owners of providers in the demo world, and signatures of their lists of checksums.
# Written by tests/portal/demo/sign_releases.py.

"""


def list_providers() -> Iterator[tuple[str, DemoRepository]]:
    """Yield the name and the contents of each provider, and again as before a release that appears later."""
    for entry in WORLD.integrations:
        contents = entry.repository_contents
        if entry.program == "terraform-provider" and contents.versions:
            yield entry.repository, contents
            if contents.newest_days_ago:
                yield entry.repository, replace(contents, versions=contents.versions[1:], extra_files=())
    for program, company, product in plan_integrations():
        if program.key == "terraform-provider":
            yield build_repository_name(program, company, product), PAST.repository_contents


def write_signatures() -> None:
    """Write signatures.yaml."""
    keys: dict[str, Tsk] = {}
    signatures = {}
    for full_name, contents in list_providers():
        owner = full_name.partition("/")[0]
        version = contents.versions[0]
        if owner not in keys:
            keys[owner] = Tsk.generate(f"{owner} <releases@{owner}.example>", cipher_suite=CipherSuite.RSA2k)
        repository = FictionalRepository(full_name, "terraform-provider", "", ((version, timezone.now()),), contents)
        sums = file_names.build_sums_name(repository.product, version)
        content = build_signed_files(repository)[sums]
        signature = sign(keys[owner].signer(), content, mode=SignatureMode.DETACHED, armor=False)
        signatures[f"{owner}/{sums}"] = b64encode(signature).decode()
    public_keys = {owner: str(key.extract_certificate()) for owner, key in keys.items()}
    document = {"keys": public_keys, "signatures": signatures}
    (DATA / "signatures.yaml").write_text(HEADER + yaml.safe_dump(document, width=10_000, default_style="|"))


write_signatures()
