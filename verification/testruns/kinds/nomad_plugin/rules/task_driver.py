"""What is true of a task driver: its tasks' schema, what it can, and how it says it is?"""

from verification.testruns.kinds.nomad_plugin.judging import of, trouble
from verification.testruns.kinds.nomad_plugin.records import Seen
from verification.testruns.kinds.run_task.judging import Said, failed, passed, warned

HEALTH = {0: "undetected", 1: "unhealthy", 2: "healthy"}
ISOLATION = {0: "no isolation of files", 1: "a chroot", 2: "images"}


def task_schema(seen: Seen) -> Said:
    if seen.task_schema:
        return failed(" ".join(seen.task_schema[:3])[:600])
    asked = of(seen, "task_schema")
    names = asked.data.get("spec", {}).get("object", {}).get("attributes", {})
    if asked.is_answered and not names:
        return warned("A task of this driver can be told nothing: its schema is empty.")
    return trouble(asked) or passed(f"A task is configured by {', '.join(sorted(names))[:200]}.")


def capable(seen: Seen) -> Said:
    asked = of(seen, "capabilities")
    told = asked.data.get("capabilities", {})
    can = [words for key, words in (("send_signals", "signals"), ("exec", "commands in a task")) if told.get(key)]
    isolation = ISOLATION.get(int(told.get("fs_isolation", 0)), "an unknown isolation of files")
    return trouble(asked) or passed(f"It can: {', '.join([*can, isolation])}.")


def fingerprint(seen: Seen) -> Said:
    asked = of(seen, "fingerprint")
    if not asked.is_answered:
        return trouble(asked) or failed(asked.sentence)
    health = HEALTH.get(int(asked.data.get("health", 0)), "of unknown health")
    why = str(asked.data.get("health_description", ""))[:200]
    if health == "healthy":
        return passed(f"It is healthy{f': {why}' if why else ''}.")
    if not why:
        return failed(f"It is {health}, and does not say why.")
    return passed(f"It is {health} here and says why: {why.rstrip('.')}.")
