"""Tests of the secrets of the embedded portal."""

import stat
from functools import partial
from pathlib import Path

from portal.embedded_secrets import load_or_create_secret
from tests.concurrency import run_concurrently


def test_secret_is_created_once_for_this_user_only(tmp_path: Path) -> None:
    secret = load_or_create_secret(tmp_path / "data", "SECRET_KEY")
    assert load_or_create_secret(tmp_path / "data", "SECRET_KEY") == secret
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in (tmp_path / "data").iterdir()] == [
        ("secret_key", 0o600)
    ]


def test_concurrent_first_starts_use_the_same_secret(tmp_path: Path) -> None:
    for number in range(50):
        secrets = run_concurrently(*[partial(load_or_create_secret, tmp_path / str(number), "SECRET_KEY")] * 8)
        assert secrets == [load_or_create_secret(tmp_path / str(number), "SECRET_KEY")] * 8
