"""Markers of tests that need a program which not every machine has."""

import pytest

from verification.sandbox.environment import find_obstacle

needs_sandbox = pytest.mark.skipif(bool(find_obstacle()), reason=find_obstacle() or "this machine can run a sandbox")
