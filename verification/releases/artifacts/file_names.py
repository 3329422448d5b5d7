"""Builder and parser of the names of providers and of the files of a release, as the registry publishes them."""

import re
import unicodedata
from collections.abc import Collection

import idna

from verification.releases.artifacts.remarks import Remark, build_remark

REPOSITORY = re.compile(r"terraform-provider-([a-z0-9][a-z0-9-]*)")
REFUSED_SYMBOLS = frozenset("\u2260\u226e\u226f")  # not equal, not less, not greater; allowed since Unicode 15.1
JOINERS = frozenset("\u200c\u200d")
TAG = re.compile(r"v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
ARCHIVE = re.compile(  # with the name and the version of the provider in groups
    r"terraform-provider-([a-z0-9-]+)_(\d+\.\d+\.\d+[0-9A-Za-z.+-]*)_[a-z0-9]+_[a-z0-9]+\.zip"
)


def map_part(text: str) -> str:
    """Map a namespace or a provider's name as Terraform does: UTS 46, as the Lookup profile of Go's idna package.

    Raises:
        ValueError: Terraform refuses the name, or letters of the name are equivalent to dots.
    """
    # Terraform refuses dots and consecutive dashes, which internationalized names would allow.
    if "." in text or "--" in text or not REFUSED_SYMBOLS.isdisjoint(text):
        raise ValueError(text)
    mapped_text = idna.uts46_remap(text.replace("ẞ", "ss"), std3_rules=True)  # Unicode 15.0, as Terraform 1.11
    if not mapped_text or "-" in (mapped_text[0], mapped_text[-1]) or "." in mapped_text:
        raise ValueError(text)
    if unicodedata.category(mapped_text[0]).startswith("M"):
        raise ValueError(text)
    for place, letter in enumerate(mapped_text):
        if letter in JOINERS and not idna.valid_contextj(mapped_text, place):
            raise ValueError(text)
    idna.check_bidi(mapped_text)
    return mapped_text


def normalize_part(text: str) -> str:
    """Return a namespace or a provider's name as Terraform sends it to registries, unchanged if it is refused."""
    try:
        return map_part(text)
    except ValueError:
        return text


def is_part(text: str) -> bool:
    """Return whether Terraform accepts a namespace: letters and digits with single dashes between them."""
    try:
        return bool(map_part(text))
    except ValueError:
        return False


def is_provider(text: str) -> bool:
    """Return whether Terraform accepts the name of a provider."""
    # Terraform takes this prefix for a mistake, because only the repository and the program have it.
    return is_part(text) and not text.startswith("terraform-")


def build_prefix(name: str, version: str) -> str:
    return f"terraform-provider-{name}_{version}"


def build_archive_name(name: str, version: str, os: str, arch: str) -> str:
    return f"{build_prefix(name, version)}_{os}_{arch}.zip"


def build_binary_name(name: str, version: str, os: str = "") -> str:
    """Return the name of the program inside an archive."""
    return f"terraform-provider-{name}_v{version}" + (".exe" if os == "windows" else "")


def build_manifest_name(name: str, version: str) -> str:
    return f"{build_prefix(name, version)}_manifest.json"


def build_sums_name(name: str, version: str) -> str:
    return f"{build_prefix(name, version)}_SHA256SUMS"


def build_signature_name(name: str, version: str) -> str:
    return f"{build_sums_name(name, version)}.sig"


def list_remarks(filenames: Collection[str], name: str, version: str) -> tuple[Remark, ...]:
    """Return remarks on files that are missing or misnamed. `version` has no "v"."""
    findings = [*_find_missing_files(filenames, name, version), *_check_archive_names(filenames, name, version)]
    if any(f"{build(name, version)}.asc" in filenames for build in (build_signature_name, build_sums_name)):
        findings.append(build_remark("armored"))
    return tuple(findings)


def _find_missing_files(filenames: Collection[str], name: str, version: str) -> list[Remark]:
    expected = (
        ("no_sums", build_sums_name),
        ("no_signature", build_signature_name),
        ("no_manifest", build_manifest_name),
    )
    names = ((key, build_name(name, version)) for key, build_name in expected)
    return [build_remark(key, name=filename) for key, filename in names if filename not in filenames]


def _check_archive_names(filenames: Collection[str], name: str, version: str) -> list[Remark]:
    zips = sorted(filename for filename in filenames if filename.lower().endswith(".zip"))
    expected = (name, version)
    pattern = f"{build_prefix(name, version)}_OS_ARCH.zip"
    misnamed = [each for each in zips if not (match := ARCHIVE.fullmatch(each)) or match.groups() != expected]
    findings = [build_remark("no_archive", name=pattern)] if misnamed == zips else []
    return findings + [build_remark("misnamed", found=each, name=pattern) for each in misnamed[:5]]
