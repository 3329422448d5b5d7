"""What is true of a device plugin: the devices that it tells, reserves and measures?"""

from collections import Counter

from verification.testruns.kinds.nomad_plugin.judging import of, trouble
from verification.testruns.kinds.nomad_plugin.records import Seen
from verification.testruns.kinds.run_task.judging import Said, failed, passed, warned

NAMES = ("vendor", "device_type", "device_name")


def fingerprint(seen: Seen) -> Said:
    asked = of(seen, "fingerprint")
    groups = asked.data.get("device_group", [])
    nameless = [key for group in groups for key in NAMES if not group.get(key)]
    ids = Counter(str(one.get("ID", "")) for group in groups for one in group.get("devices", ()))
    if not asked.is_answered:
        return trouble(asked) or failed(asked.sentence)
    if nameless:
        return failed(f"A group of devices lacks its {nameless[0].replace('_', ' ')}.")
    twice = [name for name, count in ids.items() if count > 1 or not name]
    if twice:
        return failed(f"The id “{twice[0][:60]}” is no id of one device.")
    if not ids:
        return passed("It found no device here, and said so at once.")
    return passed(f"It told {len(ids)} device{'s' if len(ids) > 1 else ''} in {len(groups)} group"
                  f"{'s' if len(groups) > 1 else ''}.")  # fmt: skip


def reserve(seen: Seen) -> Said:
    asked = of(seen, "reserve")
    if asked.is_answered:
        return failed("It reserves a device that it has never told of.")
    if asked.came in ("UNIMPLEMENTED", "ended"):
        return trouble(asked) or failed(asked.sentence)
    return passed("It refuses a device that it does not know.")


def stats(seen: Seen) -> Said:
    asked = of(seen, "stats")
    if not asked.is_answered:
        return trouble(asked) or failed(asked.sentence)
    groups = len(asked.data.get("groups", []))
    told = of(seen, "fingerprint").data.get("device_group", [])
    if told and not groups:
        return warned("It told devices, but no figures of them.")
    return passed(f"It told figures of {groups} group{'' if groups == 1 else 's'} of devices.")
