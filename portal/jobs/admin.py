"""Read-only admin pages of jobs. Only services change the queue."""

from django.contrib import admin

from portal.core.admin import ReadOnlyAdminMixin
from portal.jobs.models import Job, PeriodicRun, ResourceLimit


@admin.register(Job)
class JobAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Jobs, newest first."""

    exclude = ("lease_token",)
    list_display = ("kind", "dedup_key", "state", "run_after", "attempts", "error_code", "finished_at")
    list_filter = ("state", "queue", "kind")
    search_fields = ("dedup_key", "resource", "error_message")
    ordering = ("-pk",)


@admin.register(PeriodicRun)
class PeriodicRunAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """The last run of each periodic job."""

    list_display = ("name", "started_at", "finished_at", "lease_expires_at")


@admin.register(ResourceLimit)
class ResourceLimitAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Resources and their limits."""

    list_display = ("key", "max_concurrency", "blocked_until", "failure_count")
