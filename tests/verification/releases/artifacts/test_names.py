import pytest

from verification.releases.artifacts import file_names
from verification.releases.artifacts.file_names import Archive

WHOLE = [
    "terraform-provider-rocket_1.0.0_linux_amd64.zip",
    "terraform-provider-rocket_1.0.0_manifest.json",
    "terraform-provider-rocket_1.0.0_SHA256SUMS",
    "terraform-provider-rocket_1.0.0_SHA256SUMS.sig",
]


def without(*arguments):
    return [name for name in WHOLE if name not in arguments]


def test_names_of_a_release():
    generated_names = [
        file_names.archive("rocket", "1.0.0", "linux", "amd64"),
        file_names.manifest("rocket", "1.0.0"),
        file_names.sums("rocket", "1.0.0"),
        file_names.signature("rocket", "1.0.0"),
    ]
    assert generated_names == WHOLE
    assert file_names.binary("rocket", "1.0.0") == "terraform-provider-rocket_v1.0.0"
    assert file_names.binary("rocket", "1.0.0", "windows") == "terraform-provider-rocket_v1.0.0.exe"


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        (WHOLE[0], Archive("rocket", "1.0.0", "linux", "amd64")),
        ("terraform-provider-a-b_1.0.0-rc1_darwin_arm64.zip", Archive("a-b", "1.0.0-rc1", "darwin", "arm64")),
        ("terraform-provider-rocket_v1.0.0_linux_amd64.zip", None),
        ("terraform-provider-rocket_1.0_linux_amd64.zip", None),
        ("terraform-provider-rocket_1.0.0_linux_amd64.tar.gz", None),
        ("Terraform-Provider-rocket_1.0.0_linux_amd64.zip", None),
        ("terraform-provider-rocket_1.0.0_linux.zip", None),
        ("../terraform-provider-rocket_1.0.0_linux_amd64.zip", None),
        (WHOLE[1], None),
    ],
)
def test_archive_name(filename, expected):
    assert file_names.parse(filename) == expected


@pytest.mark.parametrize(
    ("filenames", "expected"),
    [
        (WHOLE, []),
        ([*WHOLE, "CHANGELOG.md"], []),
        (without(WHOLE[1]), ["no_manifest"]),
        (without(WHOLE[2]), ["no_sums"]),
        (without(WHOLE[3]), ["no_signature"]),
        ([*without(WHOLE[3]), f"{WHOLE[2]}.asc"], ["no_signature", "armored"]),
        (without(WHOLE[0]), ["no_archive"]),
        ([*WHOLE, "terraform-provider-rocket_v1.0.0_windows_amd64.zip"], ["misnamed"]),
        ([*WHOLE, "terraform-provider-other_1.0.0_linux_amd64.zip"], ["misnamed"]),
        ([*WHOLE, "terraform-provider-rocket_1.0.1_linux_amd64.zip"], ["misnamed"]),
        ([], ["no_sums", "no_signature", "no_manifest", "no_archive"]),
    ],
)
def test_files_of_a_release(filenames, expected):
    assert [remark.key for remark in file_names.remarks(filenames, "rocket", "1.0.0")] == expected


@pytest.mark.parametrize(
    ("tag", "fits"),
    [
        ("v1.2.3", True),
        ("v1.2.3-pre", True),
        ("v0.0.1", True),
        ("1.2.3", False),
        ("v1.2", False),
        ("v01.2.3", False),
        ("V1.2.3", False),
        ("v1.2.3 ", False),
        ("release-v1.2.3", False),
    ],
)
def test_tag(tag, fits):
    assert bool(file_names.TAG.fullmatch(tag)) is fits
