"""Loads the demo world into an empty portal."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from portal.accounts.models import User
from portal.demo import SIGN_INS
from portal.demo.build import build


class Command(BaseCommand):
    help = "Loads the demo world. Refuses where there are people already."

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.exists():
            raise CommandError("The demo world is only loaded into an empty portal.")
        with transaction.atomic():
            build(timezone.now(), lambda line: self.stdout.write(f"  {line}"))
        for email, password, what in SIGN_INS:
            self.stdout.write(f"{email}  {password}  {what}")
