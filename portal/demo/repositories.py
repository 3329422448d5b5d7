"""Fictional repositories of the demo world: their files and releases, as GitHub and the registry would publish them."""

import hashlib
import io
import json
import struct
import zipfile
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from string import Template

import verification.licenses
from integrations.submissions.models import Integration
from portal.core.content_files import Content, load_content
from portal.core.repository_urls import get_product_name
from portal.demo.content import DATA, PAST, WORLD, DemoRepository
from verification.releases.artifacts import executables, file_names

LICENSE = (Path(verification.licenses.__file__).parent / "data" / "texts" / "MPL-2.0.txt").read_bytes()
PROTOCOLS = ["6.0"]  # as in terraform-registry-manifest.json
RELEASE_INTERVAL = timedelta(days=30)
ZIP_DATE = (2026, 1, 1, 0, 0, 0)  # a constant, because the checksums are signed
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


class ProgramRepositories(Content):
    """Language and parts of the repositories of a program."""

    language: str
    parts: tuple[str, ...]


class RepositoryFiles(Content):
    """Content of repositories.yaml. `parts` maps the path of each file to its text."""

    programs: dict[str, ProgramRepositories]
    parts: dict[str, dict[str, str]]
    page: str


class ReleaseSignatures(Content):
    """Content of signatures.yaml: public keys by owner, and base64 signatures by the name of the list of checksums."""

    keys: dict[str, str]
    signatures: dict[str, str]


TEMPLATES = load_content(DATA / "repositories.yaml", RepositoryFiles)


@cache
def load_signatures() -> ReleaseSignatures:
    return load_content(DATA / "signatures.yaml", ReleaseSignatures)


@dataclass(frozen=True, slots=True)
class FictionalRepository:
    """Repository at one point in time. `releases` are versions and their times, newest first."""

    full_name: str
    program: str
    homepage: str
    releases: tuple[tuple[str, datetime], ...]
    contents: DemoRepository
    tier: str = "community"

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    @property
    def product(self) -> str:
        return get_product_name(self.full_name.partition("/")[2])

    @property
    def id(self) -> int:
        return compute_id(self.full_name)


def compute_id(name: str) -> int:
    """Return the GitHub ID of a fictional repository or owner."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:7], 16)


def describe_identity(full_name: str) -> dict[str, object]:
    """Return what an integration stores about its repository."""
    owner = full_name.partition("/")[0]
    return {"repository": full_name, "repository_id": compute_id(full_name), "repository_owner_id": compute_id(owner)}


def describe_repository(integration: Integration, now: datetime) -> FictionalRepository:
    """Return the repository of an integration as it is at a time."""
    entry = next((entry for entry in WORLD.integrations if entry.repository == integration.repository), None)
    contents = entry.repository_contents if entry else PAST.repository_contents
    newest_at = None
    if entry and contents.newest_days_ago:
        loaded_at = integration.created_at + timedelta(days=entry.started_days_ago)
        newest_at = loaded_at - timedelta(days=contents.newest_days_ago)
        if newest_at > now:
            contents = replace(contents, versions=contents.versions[1:], extra_files=())
            newest_at = None
    return FictionalRepository(
        integration.repository,
        integration.program_key,
        integration.homepage,
        _list_releases(contents.versions, integration.created_at, newest_at),
        contents,
        tier="partner" if integration.is_listed else "community",
    )


def _list_releases(
    versions: tuple[str, ...], started_at: datetime, newest_at: datetime | None
) -> tuple[tuple[str, datetime], ...]:
    """Return the versions with their times before the start of the integration.

    `newest_at` replaces the time of the newest version.
    """
    times = [started_at - RELEASE_INTERVAL * number for number in range(1, len(versions) + 1)]
    return tuple(zip(versions, [newest_at, *times[1:]] if newest_at else times, strict=True))


@cache
def build_files(repository: FictionalRepository) -> Mapping[str, bytes]:
    """Return the files of the repository by path."""
    files = {"LICENSE": LICENSE} | {
        path: text.encode()
        for part in TEMPLATES.programs[repository.program].parts
        for template, text_template in TEMPLATES.parts[part].items()
        for path, text in _fill_templates(repository, template, text_template)
    }
    return {path: content for path, content in sorted(files.items()) if path not in repository.contents.missing_files}


def _fill_templates(repository: FictionalRepository, path: str, text: str) -> Iterator[tuple[str, str]]:
    values = {
        "repository": repository.full_name,
        "owner": repository.owner,
        "product": repository.product,
        "homepage": repository.homepage,
    }
    names_by_kind = {"resource": repository.contents.resources, "data_source": repository.contents.data_sources}
    kind = next((kind for kind in names_by_kind if f"${{{kind}}}" in path), "")
    for name in names_by_kind.get(kind, ("",)):
        file_values = values | ({kind: name} if kind else {})
        yield Template(path).substitute(file_values), Template(text).substitute(file_values)


@cache
def build_release_files(repository: FictionalRepository) -> Mapping[str, bytes]:
    """Return the files of the newest release by name. Those of a provider are signed."""
    version = repository.releases[0][0]
    if repository.program != "terraform-provider":
        name = f"{repository.product}_{version}"
        return {f"{name}_{platform}.zip": _build_archive(name, platform) for platform in repository.contents.platforms}
    files = build_signed_files(repository)
    sums = file_names.build_sums_name(repository.product, version)
    return files | {f"{sums}.sig": b64decode(load_signatures().signatures[f"{repository.owner}/{sums}"])}


def build_signed_files(repository: FictionalRepository) -> dict[str, bytes]:
    """Return the files of a provider's newest release without the signature."""
    name = repository.product
    version = repository.releases[0][0]
    files = dict.fromkeys(repository.contents.extra_files, EMPTY_ZIP)
    for platform in repository.contents.platforms:
        os, _, arch = platform.partition("_")
        binary = file_names.build_binary_name(name, version, os)
        files[file_names.build_archive_name(name, version, os, arch)] = _build_archive(binary, platform)
    manifest = {"version": 1, "metadata": {"protocol_versions": PROTOCOLS}}
    files[file_names.build_manifest_name(name, version)] = json.dumps(manifest).encode()
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {file}\n" for file, content in files.items())
    return files | {file_names.build_sums_name(name, version): sums.encode()}


def _build_archive(member: str, platform: str) -> bytes:
    """Return a ZIP archive with the start of an executable, the same on every machine."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo(member, ZIP_DATE)
        info.create_system = 3  # Unix
        info.external_attr = 0o100755 << 16  # an executable file
        archive.writestr(info, _build_executable(platform))
    return buffer.getvalue()


def _build_executable(platform: str) -> bytes:
    """Return the first bytes of an executable for a platform. They are never run."""
    os, _, arch = platform.partition("_")
    if os == "darwin":
        return struct.pack("<LL", 0xFEEDFACF, _find_machine(executables.MACH_MACHINES, arch)) + bytes(56)
    if os == "windows":
        machine = struct.pack("<H", _find_machine(executables.PE_MACHINES, arch))
        return b"MZ" + bytes(58) + struct.pack("<L", 64) + b"PE\0\0" + machine + bytes(18)
    machine = struct.pack("<H", _find_machine(executables.ELF_MACHINES, arch))
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + machine + bytes(44)


def _find_machine(machines: Mapping[int, str], arch: str) -> int:
    return next(number for number, name in machines.items() if name == arch)
