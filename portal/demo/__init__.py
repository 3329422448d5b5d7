"""Demo world: every program, stage, and role, created through the services of the portal."""

from portal.demo.content import SIGN_INS

__all__ = ["SIGN_INS"]
