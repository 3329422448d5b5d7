"""Email providers that can replace SMTP, through django-anymail with one API key each. Data only."""

from django.core.exceptions import ImproperlyConfigured

SMTP = "smtp"
# The names are those of django-anymail.
KEY_SETTING_BY_PROVIDER = {
    "brevo": "BREVO_API_KEY",
    "mailersend": "MAILERSEND_API_TOKEN",
    "mailgun": "MAILGUN_API_KEY",
    "mandrill": "MANDRILL_API_KEY",
    "postmark": "POSTMARK_SERVER_TOKEN",
    "resend": "RESEND_API_KEY",
    "sparkpost": "SPARKPOST_API_KEY",
}
TIMEOUT_SECONDS = 20


def get_backend(provider: str, *, host: str) -> str:
    """Return the path of the Django email backend. Raises ImproperlyConfigured if a provider has an SMTP host."""
    if provider == SMTP:
        return "django.core.mail.backends.smtp.EmailBackend"
    if host:
        raise ImproperlyConfigured("EMAIL_PROVIDER and EMAIL_HOST are both set. Unset one of them.")
    return f"anymail.backends.{provider}.EmailBackend"


def build_anymail_settings(provider: str, *, key: str, address: str) -> dict[str, object]:
    """Return the ANYMAIL setting, {} for SMTP. Raises ImproperlyConfigured if the provider or its key is missing."""
    if provider == SMTP:
        if key or address:
            raise ImproperlyConfigured("EMAIL_PROVIDER_KEY or EMAIL_PROVIDER_URL is set, and EMAIL_PROVIDER is not.")
        return {}
    if not key:
        raise ImproperlyConfigured(f"EMAIL_PROVIDER is {provider}, and EMAIL_PROVIDER_KEY is not set.")
    anymail_settings: dict[str, object] = {KEY_SETTING_BY_PROVIDER[provider]: key, "REQUESTS_TIMEOUT": TIMEOUT_SECONDS}
    return anymail_settings | ({f"{provider.upper()}_API_URL": f"{address}/"} if address else {})
