"""Services for provider schemas: one per version, parsed on demand, compared in order."""

import gzip
import hashlib
import json
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.repository_urls import get_product_name
from verification.releases.artifacts import file_names
from verification.schemas.engine.diff import SchemaDifference, compare_schemas
from verification.schemas.engine.parsing import parse_json, parse_schemas, unpack
from verification.schemas.engine.types import ParsedSchema, SchemaParseError
from verification.schemas.engine.version_policy import VersionVerdict, evaluate_version
from verification.schemas.models import ProviderSchema
from verification.terraform.versions import Version, parse_version, try_parse_version

MAX_SCHEMA_BYTES = 60 * 1024 * 1024  # uncompressed; parsing needs about six times as much memory
# Uncompressed. The largest known schema is 14 MB. Generating its archive takes a minute and yields 110 MB.
MAX_ARCHIVE_SCHEMA_BYTES = 20 * 1024 * 1024
MAX_VERSIONS = 200  # versions of one integration
REFUSAL_MESSAGE = gettext_noop("Only owners and editors of the company and reviewers can upload a schema.")


def has_provider(integration: Integration) -> bool:
    """Return whether the repository is that of a Terraform provider."""
    return bool(file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]))


def can_submit_schema(integration: Integration, user: AnyUser) -> bool:
    """Return whether a user may submit a schema: members who can edit, and reviewers who can decide."""
    return permissions.can_edit(integration, user) or permissions.can_decide(integration, user)


def store_schema(
    integration: Integration, version: Version, body: bytes, *, actor: User | None, now: datetime
) -> ProviderSchema:
    """Store the schema of a version, replacing an existing one.

    Raises:
        SchemaParseError: The file isn't a schema of this provider.
        ActionRefused: The actor can't upload schemas, or the integration has too many versions.
    """
    if actor is not None and not can_submit_schema(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    body = unpack(body, MAX_SCHEMA_BYTES)
    schema = _select_own_schema(integration, parse_schemas(body, MAX_SCHEMA_BYTES))
    # Parsed again, because the parsed schema has dropped the keys that the portal doesn't know.
    provider_data = parse_json(body)["provider_schemas"][schema.source]
    text = json.dumps(
        {"format_version": "1.0", "provider_schemas": {schema.source: provider_data}}, sort_keys=True
    ).encode()
    values = {
        "source": schema.source[:300],
        "digest": hashlib.sha256(text).hexdigest(),
        # Without a time, the same schema is the same bytes.
        "body": gzip.compress(text, mtime=0),
        "resources": len(schema.resources),
        "data_sources": len(schema.data_sources),
        "submitted_by": actor,
        "submitted_at": now,
    }
    with transaction.atomic():
        # Simultaneous uploads count one after the other.
        Integration.objects.select_for_update(no_key=True).get(pk=integration.pk)
        rows = ProviderSchema.objects.filter(integration=integration)
        if rows.exclude(version=str(version)).count() >= MAX_VERSIONS:
            raise ActionRefused(
                _("You reached the limit of %(limit)s versions. You can only replace the schema of a stored version.")
                % {"limit": MAX_VERSIONS},
                "limit-reached",
            )
        return rows.update_or_create(integration=integration, version=str(version), defaults=values)[0]


def _select_own_schema(integration: Integration, schemas: dict[str, ParsedSchema]) -> ParsedSchema:
    """Return the schema of the integration's provider, or raise SchemaParseError if the file doesn't contain it."""
    provider_name = get_product_name(integration.repository.partition("/")[2])
    own = [schema for address, schema in schemas.items() if address.rpartition("/")[2] == provider_name]
    if len(own) != 1:
        raise SchemaParseError(
            f"The file must contain one provider named {provider_name}. It contains {', '.join(schemas)[:200]}."
        )
    return own[0]


def load_schema(row: ProviderSchema) -> ParsedSchema:
    """Parse the schema of a row that was loaded with its body."""
    return _parse_stored(bytes(row.body))


# Parsing a large schema takes seconds, and each page of a comparison or a preview needs the same ones again.
@lru_cache(maxsize=8)
def _parse_stored(body: bytes) -> ParsedSchema:
    return next(iter(parse_schemas(body).values()))


def list_schemas(integration: Integration) -> list[ProviderSchema]:
    """Return all schemas of an integration without their bodies, newest version first."""
    rows = ProviderSchema.objects.filter(integration=integration).defer("body").select_related("submitted_by")
    return sorted(rows, key=lambda row: parse_version(row.version).rank, reverse=True)


def get_schema_row(integration: Integration, version: str = "") -> ProviderSchema | None:
    """Return the schema of a version with its body; the newest by default. The version can be any text."""
    # PostgreSQL refuses some characters that a URL can contain.
    if version and try_parse_version(version) is None:
        return None
    version = version or next((row.version for row in list_schemas(integration)), "")
    return ProviderSchema.objects.filter(integration=integration, version=version).first()


def get_previous_version(integration: Integration, version: str) -> str:
    """Return the previous stored version, or "" for the oldest."""
    versions = [row.version for row in list_schemas(integration)]
    return next((older for newer, older in pairwise(versions) if newer == version), "")


def compare_versions(old: ProviderSchema, new: ProviderSchema) -> tuple[SchemaDifference, VersionVerdict]:
    """Return the changes between two schemas, and whether the version number allows them."""
    schema_difference = compare_schemas(load_schema(old), load_schema(new))
    return schema_difference, evaluate_version(
        parse_version(old.version), parse_version(new.version), schema_difference
    )
