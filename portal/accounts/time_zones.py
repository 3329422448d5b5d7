"""Which zone is a person in who never chose one? The one that the browser names at sign-in and sign-up."""

from zoneinfo import available_timezones

from django.http import HttpRequest

from portal.accounts.models import User

FIELD = "browser_zone"  # hidden in both forms; a script writes it


def learn(request: HttpRequest, user: User) -> bool:
    """Take over what the browser said; whether that is news. The caller saves.

    A zone that does not exist says nothing, and one that the person chose stands.
    """
    said = request.POST.get(FIELD, "")
    if user.zone_chosen or said == user.zone or said not in available_timezones():
        return False
    user.zone = said
    return True
