"""A world to look at: every program, every stage and every role, reached through the real door."""

from portal.demo.people import SIGN_INS

__all__ = ["SIGN_INS"]
