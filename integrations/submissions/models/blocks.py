"""Blocks of a partner's integrations, by who must act next."""

from django.db.models import Case, Q, Value, When

from integrations.submissions.workflow.states import FINAL_STAGES, ListingStatus, ResponsibleParty, Stage

MINE, COLLEAGUES, OTHERS, SUPPORTED, NO_LONGER_LISTED, ENDED = range(6)
_IS_OPEN = ~Q(stage__in=[str(stage) for stage in FINAL_STAGES])
_WAITS_FOR_PROGRAM = Q(responsible_party__in=[str(ResponsibleParty.PROGRAM), str(ResponsibleParty.THIRD_PARTY)])
# in support, the portal only monitors
_WAITS_FOR_PORTAL = Q(responsible_party=str(ResponsibleParty.PORTAL)) & ~Q(stage=str(Stage.SUPPORT))
_IS_NO_LONGER_LISTED = Q(
    stage=str(Stage.SUPPORT),
    responsible_party=str(ResponsibleParty.PORTAL),
    listing_status__in=[str(ListingStatus.DELISTED), str(ListingStatus.UNLISTED)],
)
# as an editor of the company sees it; part of the index integration_partner_blocks
BLOCK = Case(
    When(_IS_OPEN & Q(responsible_party=str(ResponsibleParty.PARTNER)), then=Value(MINE)),
    When(_IS_OPEN & (_WAITS_FOR_PROGRAM | _WAITS_FOR_PORTAL), then=Value(OTHERS)),
    When(_IS_NO_LONGER_LISTED, then=Value(NO_LONGER_LISTED)),
    When(_IS_OPEN, then=Value(SUPPORTED)),
    default=Value(ENDED),
)
