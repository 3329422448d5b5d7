"""Settings with the interface of django.conf, for the portal's clients outside the portal."""

from types import SimpleNamespace


class Settings(SimpleNamespace):
    """Settings that are configured once by a call."""

    configured = False

    def configure(self, **values: object) -> None:
        self.__dict__.update(values, configured=True)


settings = Settings()
