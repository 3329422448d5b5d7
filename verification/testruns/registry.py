"""Table of the kinds of test runs."""

from verification.testruns.kinds.base import TestKind
from verification.testruns.kinds.nomad_plugin.kind import NomadPluginTest
from verification.testruns.kinds.provider_lifecycle.kind import ProviderLifecycleTest
from verification.testruns.kinds.provider_schema.kind import ProviderSchemaInspection
from verification.testruns.kinds.run_task.kind import RUN_TASK

KINDS: dict[str, TestKind] = {
    kind.key: kind for kind in (RUN_TASK, ProviderLifecycleTest(), NomadPluginTest(), ProviderSchemaInspection())
}
FORM_KINDS = tuple(kind for kind in KINDS.values() if hasattr(kind, "form_class"))
