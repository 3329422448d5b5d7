"""Deletion of account data that has expired: sessions and entries of the security log."""

from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session

from portal.accounts.security_log import delete_expired_events


def delete_expired(now: datetime) -> int:
    """Delete expired sessions, their UserSession rows, and old security log entries. Return the number of rows."""
    count = Session.objects.filter(expire_date__lt=now).delete()[0]
    # Django deletes its sessions without telling allauth.
    count += UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()[0]
    return count + delete_expired_events(now)
