"""Markers of tests that need a program which not every machine has."""

import pytest

from verification.sandbox.environment import find_obstacle
from verification.testruns.terraform_cli import find_terraform

needs_sandbox = pytest.mark.skipif(bool(find_obstacle()), reason=find_obstacle() or "this machine can run a sandbox")
needs_terraform_or_opentofu = pytest.mark.skipif(
    find_terraform() is None, reason="neither Terraform nor OpenTofu is installed"
)
