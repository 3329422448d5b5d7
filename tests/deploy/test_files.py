"""Tests of the files in deploy/."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from portal.environment import PortalSettings
from tests.deploy import run_lines

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
CONTAINER = (DEPLOY / "Containerfile").read_text()
EXAMPLE = (DEPLOY / "portal.env.example").read_text()


def run_tool(name, *arguments):
    command = [Path(sys.executable).with_name(name), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_container_file_passes_its_linter():
    process = run_tool("hadolint", "--no-color", "deploy/Containerfile")
    assert (process.returncode, process.stdout) == (0, ""), process.stderr


def test_compose_file_matches_the_schema():
    process = run_tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "deploy/compose.yaml")
    assert process.returncode == 0, process.stdout


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze on this machine")
def test_units_pass_verification_by_systemd(tmp_path):
    folder = tmp_path / "portal"
    for name in ("python", "gunicorn", "celery"):
        program = folder / ".venv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    (tmp_path / "portal.env").touch()
    for unit in UNITS:
        text = unit.read_text().replace("/opt/portal/.venv", f"{folder}/.venv")
        (tmp_path / unit.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)]
    process = subprocess.run(command, capture_output=True, text=True)
    ours = [line for line in process.stderr.splitlines() if "portal" in line]
    assert (process.returncode, ours) == (0, [])


def test_collected_files_are_readable_by_all_users(tmp_path):
    (line,) = (line for line in run_lines.list_run_lines(CONTAINER) if "collectstatic" in line.command)
    command = line.command.removesuffix(" && rm -rf /tmp/build").replace("python3", sys.executable)
    environment = {"PATH": os.environ["PATH"], "PORTAL_ENV": "production", "STATIC_ROOT": str(tmp_path / "static")}
    environment["AUDIT_ANCHOR_DIR"] = "/anchors"  # the image sets it
    subprocess.run(
        ["/bin/sh", "-c", command.replace("/tmp/build", str(tmp_path))], cwd=ROOT, env=environment, check=True
    )
    collected = [path for path in (tmp_path / "static").rglob("*") if path.suffix != ".gz"]
    assert tmp_path / "static" / "staticfiles.json" in collected
    assert [path for path in collected if not path.stat().st_mode & 0o004] == []


def test_container_file_copies_existing_files():
    matches = re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINER, re.MULTILINE)
    assert [name for line in matches for name in line.split() if not (ROOT / name).exists()] == []


def test_compose_runs_every_process_and_beat_once():
    ours = {name for name, service in COMPOSE["services"].items() if service["image"].startswith("partner-portal")}
    assert ours == {"upgrade", "web", "worker", "beat", "run_jobs", "sandbox"}
    assert "deploy" not in COMPOSE["services"]["beat"]


def test_compose_publishes_only_the_web_server_on_loopback():
    ports_by_name = {name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service}
    assert ports_by_name == {"web": ["127.0.0.1:8000:8000"]}


def test_units_and_compose_run_the_same_commands():
    units = {path.stem.removeprefix("portal-") for path in UNITS if path.suffix == ".service"}
    assert units == {"upgrade", "web", "worker", "beat", "run_jobs", "sandbox"}
    for name in ("worker", "beat", "run_jobs", "sandbox"):
        unit = (DEPLOY / "systemd" / f"portal-{name}.service").read_text()
        (line,) = re.findall(r"^ExecStart=/opt/portal/.venv/bin/(.+)$", unit, re.MULTILINE)
        assert line.split() == [word.replace("python3", "python") for word in COMPOSE["services"][name]["command"]]


def test_sandbox_has_no_settings_of_the_portal():
    service = COMPOSE["services"]["sandbox"]
    assert ("env_file" in service, service["volumes"]) == (False, ["sandbox:/run/portal-sandbox"])
    unit = (DEPLOY / "systemd" / "portal-sandbox.service").read_text()
    assert "EnvironmentFile" not in unit
    assert "User=portal-sandbox" in unit


def test_example_names_existing_settings():
    matches = set(re.findall(r"^([A-Z_]+)=", EXAMPLE, re.MULTILINE))
    assert matches - set(PortalSettings.model_fields) == {"POSTGRES_PASSWORD"}


def test_example_contains_every_setting_that_production_requires():
    source = (ROOT / "portal" / "production_checks.py").read_text()
    required = set(re.findall(r'"([A-Z_]+) (?:is not set|must be set|must name|must begin)', source))
    required |= {"SECRET_KEY", "ENCRYPTION_KEYS", "BADGE_SIGNING_KEYS", "AUDIT_KEYS", "ALLOWED_HOSTS"}
    assert {"DATABASE_URL", "REDIS_URL", "SITE_URL", "TRUSTED_PROXIES"} <= required
    assert [name for name in sorted(required) if f"\n{name}=" not in EXAMPLE] == []
