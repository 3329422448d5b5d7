"""The search index: one row for each object that a search can find."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.accounts.requests import AnyUser


class Kind(models.IntegerChoices):
    """Kinds of results, most important first."""

    INTEGRATION = 1, gettext_lazy("Integration")
    PARTNER = 2, gettext_lazy("Partner")
    REPOSITORY = 3, gettext_lazy("Repository")
    FINDING = 4, gettext_lazy("Finding")
    ISSUE = 5, gettext_lazy("Issue")
    PERSON = 6, gettext_lazy("Person")
    PROGRAM = 7, gettext_lazy("Program")
    DOCUMENTATION = 8, gettext_lazy("Help")
    PROVIDER = 9, gettext_lazy("Published provider")


class Audience(models.TextChoices):
    """Who can find an entry."""

    EVERYONE = "everyone", "Everyone"
    MEMBERS = "members", "Members of the partner, and program staff"
    STAFF = "staff", "Program staff who don't belong to the partner"


class SearchEntryQuerySet(models.QuerySet["SearchEntry"]):
    """Queries of the search index."""

    def visible_to(self, user: AnyUser) -> "SearchEntryQuerySet":
        public = Q(audience=Audience.EVERYONE)
        own_partners = list(permissions.get_roles(user))
        if permissions.is_program_staff(user):
            return self.exclude(audience=Audience.STAFF, partner__in=own_partners)
        return self.filter(public | Q(audience=Audience.MEMBERS, partner__in=own_partners))


class SearchEntry(models.Model):
    """Entry of an object in the search index, which can be rebuilt anytime.

    `source` names the object whose entries are written together, such as "integration:7". `words` holds the words that
    a query can match and `title_words` those of the title, normalized. Program staff follow `staff_url` if there is
    one. The database keeps its full-text index of `words` up to date: see the migration.
    """

    kind = models.PositiveSmallIntegerField(choices=Kind)
    object_id = models.CharField(max_length=100)
    source = models.CharField(max_length=120, db_index=True)
    title = models.CharField(max_length=300)
    title_words = models.CharField(max_length=300)
    subtitle = models.CharField(max_length=200, blank=True)
    words = models.TextField()
    url = models.CharField(max_length=400)
    staff_url = models.CharField(max_length=400, blank=True)
    audience = models.CharField(max_length=10, choices=Audience)
    partner = models.ForeignKey(Partner, models.CASCADE, null=True, related_name="+")

    objects = SearchEntryQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "object_id"], name="search_entry_unique_object")]
        indexes = [models.Index(fields=["title_words"], name="search_entry_title_words")]

    def __str__(self) -> str:
        return self.title
