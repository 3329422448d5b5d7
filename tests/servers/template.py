"""Migrated PostgreSQL database that all processes of a run copy."""

import os
import subprocess
import sys

import psycopg

TEMPLATE = "portal_template"


def ensure_template(url: str) -> None:
    """Create the template on this server, or wait until another process has created it."""
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("SELECT pg_advisory_lock(hashtext(%s))", [TEMPLATE])  # until the connection ends
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone():
            server.execute(f"CREATE DATABASE {TEMPLATE}")
            migrate(f"{url.rpartition('/')[0]}/{TEMPLATE}")


def migrate(url: str) -> None:
    """Apply all migrations to a database in a process of its own."""
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, check=True, env=os.environ | {"DATABASE_URL": url})
