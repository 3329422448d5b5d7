"""Which schemas do we have of an integration's provider? Kept one a version, read when asked, compared in order."""

import gzip
import hashlib
import json
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.submissions.models import Integration
from portal.core.errors import NotAllowed
from portal.core.repository_urls import product_of
from verification.schemas.engine.diff import Difference, difference
from verification.schemas.engine.file_formats import parsed, unpacked
from verification.schemas.engine.parsing import read
from verification.schemas.engine.types import ProviderSchema, Unreadable
from verification.schemas.engine.version_policy import Verdict, verdict
from verification.schemas.models import StoredSchema
from verification.terraform.versions import Version, parse

LARGEST = 60 * 1024 * 1024  # unpacked; reading takes about six times as much memory
MOST = 200  # versions of one integration
REFUSAL = gettext_noop("Only members of the company who may edit, and reviewers, hand in a schema.")


def may_give(integration: Integration, user: Any) -> bool:
    """Who may hand in a schema: who answers for the company, and who reviews."""
    return permissions.may_edit(integration, user) or permissions.may_decide(integration, user)


def store(integration: Integration, version: Version, body: bytes, *, by: Any, now: datetime) -> StoredSchema:
    """Keep a version's schema; the same version given again takes the place of what was there.

    Raises Unreadable with a sentence for what is no schema of this provider, and NotAllowed.
    """
    if by is not None and not may_give(integration, by):
        raise NotAllowed(_(REFUSAL), "may")
    body = unpacked(body, LARGEST)
    found = _own(integration, read(body, LARGEST))
    kept = parsed(body)["provider_schemas"][found.source]
    text = json.dumps({"format_version": "1.0", "provider_schemas": {found.source: kept}}, sort_keys=True).encode()
    values = {
        "source": found.source[:300],
        "digest": hashlib.sha256(text).hexdigest(),
        "body": gzip.compress(text, mtime=0),
        "resources": len(found.resources),
        "data_sources": len(found.data_sources),
        "given_by": by,
        "given_at": now,
    }
    others = StoredSchema.objects.filter(integration=integration).exclude(version=str(version))
    if others.count() >= MOST:
        raise NotAllowed(_("There are %(most)s schemas already.") % {"most": MOST})
    return StoredSchema.objects.update_or_create(integration=integration, version=str(version), defaults=values)[0]


def _own(integration: Integration, found: dict[str, ProviderSchema]) -> ProviderSchema:
    """The schema of this integration's provider. Raises Unreadable where the file is of others."""
    wanted = product_of(integration.repository.partition("/")[2])
    own = [schema for address, schema in found.items() if address.rpartition("/")[2] == wanted]
    if len(own) != 1:
        raise Unreadable(f"The file holds {', '.join(found)[:200]}, and not one provider named {wanted}.")
    return own[0]


def opened(row: StoredSchema) -> ProviderSchema:
    """The schema of a row, which must have its body."""
    return _opened(row.digest, bytes(row.body))


@lru_cache(maxsize=8)
def _opened(_digest: str, body: bytes) -> ProviderSchema:
    return next(iter(read(body).values()))


def known(integration: Integration) -> list[StoredSchema]:
    """Every row without its body, the newest version first."""
    rows = StoredSchema.objects.filter(integration=integration).defer("body").select_related("given_by")
    return sorted(rows, key=lambda row: parse(row.version).rank, reverse=True)


def row_of(integration: Integration, version: str = "") -> StoredSchema | None:
    """The row of a version with its body; the newest one where none is named."""
    if not version:
        newest = next(iter(known(integration)), None)
        version = newest.version if newest else ""
    return StoredSchema.objects.filter(integration=integration, version=version).first()


def before(integration: Integration, version: str) -> str:
    """The version before, of those that are kept; "" for the first."""
    versions = [row.version for row in known(integration)]
    return next((older for newer, older in pairwise(versions) if newer == version), "")


def between(old: StoredSchema, new: StoredSchema) -> tuple[Difference, Verdict]:
    """What has changed from one row to the other, and whether the number admits it."""
    found = difference(opened(old), opened(new))
    return found, verdict(parse(old.version), parse(new.version), found)
