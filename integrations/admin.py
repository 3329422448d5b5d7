"""What can staff see and do in the admin pages? Look at integrations; state is read-only, steps use the one door."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from integrations.models import Event, Integration, Introduction, ReviewerProfile


class ReadOnly:
    """Nothing is added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Integration)
class IntegrationAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Every fact read-only; the link leads to the page where steps are taken through the one door."""

    list_display = ("name", "partner", "program_key", "stage", "step", "standing", "turn_holder", "steps")
    list_filter = ("program_key", "stage", "standing", "turn_holder")
    search_fields = ("name", "partner__name", "repository")
    list_select_related = ("partner",)

    @admin.display(description="steps")
    def steps(self, obj: Integration) -> str:
        return format_html('<a href="{}">Open its page</a>', reverse("review", args=[obj.uuid]))


@admin.register(Event)
class EventAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """The history, for looking things up."""

    list_display = ("at", "stream", "seq", "verb", "actor", "internal")
    list_filter = ("verb", "internal")
    search_fields = ("stream", "actor", "note")


@admin.register(ReviewerProfile)
class ReviewerProfileAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """What each reviewer takes on."""

    list_display = ("user", "programs", "most_open", "away_from", "away_until")


@admin.register(Introduction)
class IntroductionAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Who asked to be introduced to whom."""

    list_display = ("asking", "other", "state", "asked_at", "decided_at")
