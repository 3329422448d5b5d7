"""Django settings. Everything that differs between installations comes from environment variables."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from portal import environment, production_checks
from portal.early_settings import BASE_DIR, DATA_DIR, PORT
from portal.notifications import email_providers

PRODUCTION = (
    environment.read_choice(
        "PORTAL_ENV",
        "embedded",
        ("embedded", "production"),
        doc="embedded needs no settings; production requires them. Required beside PostgreSQL or a public host.",
    )
    == "production"
)
DEBUG = environment.read_flag("PORTAL_DEBUG", False, doc="Show tracebacks in pages. Refused in production.")
WEB = ("http", "https")
SITE_URL = environment.read_url(
    "SITE_URL",
    f"http://127.0.0.1:{PORT}",
    schemes=WEB,
    doc="Address of the portal, used in mails.",
)
ALLOWED_HOSTS = environment.read_list(
    "ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]", doc="Host names the portal answers to."
)
CSRF_TRUSTED_ORIGINS = [SITE_URL]
TRUSTED_PROXIES = environment.read_proxies(
    "TRUSTED_PROXIES",
    doc="How many proxies stand in front of the portal, or the networks they connect from. Required in production.",
)


def load_or_create_secret(name: str) -> str:
    """Return a secret of the embedded portal, which is created at the first start in the data folder."""
    path = DATA_DIR / name.lower()
    if not path.exists():
        DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(get_random_secret_key())
        path.chmod(0o600)
    return path.read_text()


SECRET_KEY = environment.read_secret("SECRET_KEY", doc="Signs sessions and links.")
ENCRYPTION_KEYS = environment.read_list(
    "ENCRYPTION_KEYS",
    doc="Keys that encrypt test-account credentials, newest first; older ones still decrypt.",
)
BADGE_SIGNING_KEYS = environment.read_list(
    "BADGE_SIGNING_KEYS",
    doc="Secrets whose keys sign the statements of badges, newest first; those of older ones still verify.",
)
AUDIT_KEYS = environment.read_keys(
    "AUDIT_KEYS",
    doc="ID:SECRET pairs that seal the audit log, newest first; older ones still verify what they sealed.",
)
AUDIT_ANCHOR_DIR = Path(
    environment.read_text(
        "AUDIT_ANCHOR_DIR",
        str(DATA_DIR / "audit-anchors"),
        doc="Daily anchors of the audit log; outside PORTAL_DATA in production, best on write-once storage.",
    )
)
DATABASES: dict[str, Any] = {
    "default": environment.read_database(
        "DATABASE_URL", f"sqlite:///{DATA_DIR / 'portal.sqlite3'}", doc="The database."
    )
}
REDIS_URL = environment.read_url(
    "REDIS_URL",
    schemes=("redis", "rediss", "unix"),
    doc="Broker and cache; bin/up starts its own where this is not set.",
)

ALLOW_LOOPBACK_HTTP = environment.read_flag(
    "ALLOW_LOOPBACK_HTTP",
    False,
    doc="Development only: checks may read plain http from this machine. Refused in production.",
)

SANDBOX_SOCKET = environment.read_text(
    "SANDBOX_SOCKET",
    doc="Socket of the service that starts partners' programs; without it a child of the worker does, where it may.",
)

SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
if not environment.is_set("PORTAL_ENV"):
    production_problem = production_checks.find_undeclared_production(DATABASES["default"], SITE_URL, ALLOWED_HOSTS)
    if production_problem:
        raise ImproperlyConfigured(production_problem)
if PRODUCTION:
    problems = production_checks.find_problems(globals())
    if problems:
        raise ImproperlyConfigured(f"The portal does not start in production: {'; '.join(problems)}.")
SECRET_KEY = SECRET_KEY or load_or_create_secret("SECRET_KEY")
ENCRYPTION_KEYS = ENCRYPTION_KEYS or [load_or_create_secret("ENCRYPTION_KEYS")]
BADGE_SIGNING_KEYS = BADGE_SIGNING_KEYS or [load_or_create_secret("BADGE_SIGNING_KEYS")]
AUDIT_KEYS = AUDIT_KEYS or {"embedded": load_or_create_secret("AUDIT_KEYS")}

if SQLITE:
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "portal.core",  # before Django's auth: its createsuperuser and changepassword give way to ours
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_fsm",
    "django_htmx",
    "lucide",
    "template_partials",
    "portal.jobs",
    "portal.audit",
    "portal.ui",
    "integrations.programs",
    "portal.notifications",
    "portal.accounts",
    "integrations.partners",
    "integrations.submissions",
    "integrations.reviews",
    "verification.sources",
    "verification.checks",
    "verification.schemas",
    "verification.testruns",
    "integrations.sla",
    "verification.preflight",
    "integrations.compliance",
    "portal.webhooks",
    "portal.analytics",
    "portal.directory",
    "portal.reports",
    "portal.status",
    "portal.api",
    "portal.dashboard",
    "portal.help",
    "portal.styleguide",
    "portal.demo",
    "portal",
]
MIDDLEWARE = [
    "integrations.sla.views.monitoring.route_inbound_webhooks",  # machines wait for no session
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.core.middleware.PublicGzipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "portal.core.cache_control.forbid_storing_private_pages",
    "portal.core.unsent_forms.store_unsent_forms",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "portal.accounts.second_factor.RequireSecondFactorMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "portal.core.middleware.activate_reader_zone",
    "portal.analytics.saved_views.middleware.DefaultSavedViewMiddleware",
]
ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
ASGI_APPLICATION = "portal.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "portal.dashboard.context_processors.add_frame",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "portal.ui.templatetags.components",
                "portal.notifications.templatetags.emails",
                "template_partials.templatetags.partials",
                "lucide.templatetags.lucide",
            ],
        },
    }
]
FORM_RENDERER = "portal.ui.form_renderer.FormRenderer"
FORMS_URLFIELD_ASSUME_HTTPS = True  # what Django 6 does by itself

# People
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard:home"
ACCOUNT_ADAPTER = "portal.accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "portal.accounts.adapters.SocialAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = False
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False  # the other sessions end, the one that changed it stays
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_FORMS = {
    "login": "portal.accounts.forms.LoginForm",
    "signup": "portal.accounts.forms.SignupForm",
    "add_email": "portal.accounts.forms.AddEmailForm",
    "reset_password": "portal.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "portal.accounts.forms.ResetPasswordKeyForm",
    "change_password": "portal.accounts.forms.ChangePasswordForm",
    "set_password": "portal.accounts.forms.SetPasswordForm",
    "reauthenticate": "portal.accounts.forms.ReauthenticationPasswordForm",
}
GITHUB_CLIENT_ID = environment.read_text(
    "GITHUB_CLIENT_ID", doc="OAuth application for “Sign in with GitHub”; without it the button is absent."
)
GITHUB_CLIENT_SECRET = environment.read_secret("GITHUB_CLIENT_SECRET", doc="Secret of that OAuth application.")
GITHUB_WEB_URL = environment.read_url(
    "GITHUB_WEB_URL", "https://github.com", schemes=WEB, doc="Where people see repositories and sign in."
)
GITHUB_API_URL = environment.read_url(
    "GITHUB_API_URL", "https://api.github.com", schemes=WEB, doc="Base address of the GitHub API."
)
GITHUB_TOKEN = environment.read_secret(
    "GITHUB_TOKEN", doc="Token for reading GitHub; without it the anonymous limit applies."
)
GITHUB_APP_ID = environment.read_text(
    "GITHUB_APP_ID", doc="Id of a GitHub App to read as, in place of the token, with the two settings that follow."
)
GITHUB_APP_INSTALLATION = environment.read_number("GITHUB_APP_INSTALLATION", 0, doc="Number of the App's installation.")
GITHUB_APP_KEY = environment.read_secret(
    "GITHUB_APP_KEY", doc="The App's private key (PEM); line breaks may be written as \\n."
).replace("\\n", "\n")
REGISTRY_URL = environment.read_url(
    "REGISTRY_URL", "https://registry.terraform.io", schemes=WEB, doc="Base address of the provider registry."
)
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {"github": {"SCOPE": ["user:email"]}}
if GITHUB_CLIENT_ID:
    SOCIALACCOUNT_PROVIDERS["github"] |= {
        "APPS": [{"client_id": GITHUB_CLIENT_ID, "secret": GITHUB_CLIENT_SECRET}],
    }
    if GITHUB_WEB_URL != "https://github.com":  # an own server has its API below the same address
        SOCIALACCOUNT_PROVIDERS["github"]["GITHUB_URL"] = GITHUB_WEB_URL
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_FORMS = {"signup": "portal.accounts.forms.SocialSignupForm"}
MFA_ADAPTER = "portal.accounts.adapters.MFAAdapter"
MFA_FORMS = {
    "authenticate": "portal.accounts.forms.SecondFactorForm",
    "reauthenticate": "portal.accounts.forms.ReauthenticationCodeForm",
    "activate_totp": "portal.accounts.forms.ActivateTotpForm",
    "add_webauthn": "portal.accounts.forms.AddPasskeyForm",
    "edit_webauthn": "portal.accounts.forms.RenamePasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION  # http://localhost; browsers refuse any other http address
USERSESSIONS_ADAPTER = "portal.accounts.adapters.UserSessionsAdapter"
STAFF_SECOND_FACTOR = environment.read_choice(
    "STAFF_SECOND_FACTOR",
    "required" if PRODUCTION else "offered",
    ("required", "offered"),
    doc="Second factor of reviewers and staff before their first page; production requires it by default.",
)
MFA_TOTP_ISSUER = "Partner portal"

# Pages
LANGUAGE_CODE = "en"  # mails and what is written down are in it, whoever reads
LANGUAGES = environment.read_languages(
    "PORTAL_LANGUAGES", LANGUAGE_CODE, doc="Languages of the pages; each has a folder in locale/."
)
LOCALE_PATHS = [BASE_DIR / "locale"]
if len(LANGUAGES) > 1:  # else pages would differ by a header for nothing
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.middleware.common.CommonMiddleware"), "django.middleware.locale.LocaleMiddleware"
    )
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
STATIC_URL = "static/"
STATIC_ROOT = Path(
    environment.read_text("STATIC_ROOT", str(DATA_DIR / "static"), doc="Folder that collectstatic fills.")
)
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = not PRODUCTION
if PRODUCTION:
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {
            "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage",
            # unlike uploads they are for everyone, also for a server that is not whoever collected them
            "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
        },
    }
MEDIA_ROOT = DATA_DIR / "uploads"
MEDIA_URL = ""  # uploads are handed out by a view that asks who may see them
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "portal.core.uploads.UploadLimitHandler",  # first: what is too large is not kept
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_NUMBER_FIELDS = 300
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, GITHUB_WEB_URL],
        "frame-ancestors": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = int(timedelta(days=7).total_seconds())
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]  # asked from inside, past the proxy that speaks https
    if TRUSTED_PROXIES:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds())
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True

# Mail: rows first, a transport second. Without one mails stay in the outbox, where a page shows them.
EMAIL_HOST = environment.read_text(
    "EMAIL_HOST", doc="SMTP server. Without it and a provider mails are kept in the outbox and shown there."
)
EMAIL_PORT = environment.read_number("EMAIL_PORT", 587, low=1, doc="Its port.")
EMAIL_HOST_USER = environment.read_text("EMAIL_HOST_USER", doc="Its user.")
EMAIL_HOST_PASSWORD = environment.read_secret("EMAIL_HOST_PASSWORD", doc="Its password.")
EMAIL_USE_TLS = environment.read_flag("EMAIL_USE_TLS", True, doc="STARTTLS before anything is said.")
EMAIL_TIMEOUT = 20
EMAIL_PROVIDER = environment.read_choice(
    "EMAIL_PROVIDER",
    email_providers.SMTP,
    email_providers.CHOICES,
    doc="Who carries the mail: an SMTP server or a provider.",
)
EMAIL_BACKEND = email_providers.get_backend(EMAIL_PROVIDER, host=EMAIL_HOST)
ANYMAIL = email_providers.build_anymail_settings(
    EMAIL_PROVIDER,
    key=environment.read_secret(
        "EMAIL_PROVIDER_KEY", doc="The provider's key for sending; needed with EMAIL_PROVIDER."
    ),
    address=environment.read_url(
        "EMAIL_PROVIDER_URL", schemes=WEB, doc="The provider's API where it is not the usual one (another region)."
    ),
)
DEFAULT_FROM_EMAIL = environment.read_text(
    "DEFAULT_FROM_EMAIL", "Partner portal <portal@localhost>", doc="Sender of every mail."
)
EMAIL_STORED_ONLY = not EMAIL_HOST and EMAIL_PROVIDER == email_providers.SMTP
EMAIL_LOG_PUBLIC = (
    environment.read_flag(
        "EMAIL_LOG_PUBLIC",
        True,
        doc="Embedded only: the outbox page is open without sign-in, so that a sign-up can be finished.",
    )
    and EMAIL_STORED_ONLY
    and not PRODUCTION
)

# Programs
PROGRAM_EDITIONS = environment.read_pairs(
    "PROGRAM_EDITIONS", "@", doc="Editions that new integrations enter, PROGRAM@EDITION, where not the newest."
)
UNDO_MINUTES = environment.read_number(
    "UNDO_MINUTES", 10, doc="How long a decision can be undone before its mail goes."
)
REVIEW_CLAIM_MINUTES = environment.read_number(
    "REVIEW_CLAIM_MINUTES", 30, low=1, doc="How long a reviewer's claim lasts without activity."
)
REAUTHENTICATION_MINUTES = environment.read_number(
    "REAUTHENTICATION_MINUTES",
    15,
    low=1,
    doc="How old a sign-in may be for changes to an account and for opening a test account.",
)
ACCOUNT_REAUTHENTICATION_TIMEOUT = 60 * REAUTHENTICATION_MINUTES
NOTICE_GRACE_DAYS = environment.read_number(
    "NOTICE_GRACE_DAYS", 30, low=1, doc="Days that a partner has after a notice before a suspension is possible."
)
DELISTING_AFTER_DAYS = environment.read_number(
    "DELISTING_AFTER_DAYS", 60, low=1, doc="Days after a suspension before a removal from the listing is possible."
)
SLA_NOTICE_BREACH_COUNT = environment.read_number(
    "SLA_NOTICE_BREACH_COUNT",
    2,
    low=1,
    doc="Breaches that stand within SLA_NOTICE_WINDOW_DAYS before a notice is suggested.",
)
SLA_NOTICE_WINDOW_DAYS = environment.read_number(
    "SLA_NOTICE_WINDOW_DAYS", 90, low=1, doc="The days that are looked back on for that."
)
SLA_NOTICE_OVERDUE_FACTOR = environment.read_number(
    "SLA_NOTICE_OVERDUE_FACTOR",
    2,
    low=2,
    doc="An open issue that has taken so many times its target suggests a notice too.",
)
ESCALATION_INTERVAL_HOURS = environment.read_number(
    "ESCALATION_INTERVAL_HOURS",
    24,
    low=1,
    doc="Hours without an answer after which news goes to the next of the program.",
)
API_REQUESTS_PER_MINUTE = environment.read_number(
    "API_REQUESTS_PER_MINUTE", 300, low=1, doc="Requests a minute that one token may make of the API."
)
REPORT_ZONE = environment.read_zone("REPORT_ZONE", "UTC", doc="Time zone in which the weeks of the SLA reports begin.")
UPLOAD_MAX_MB = environment.read_number(
    "UPLOAD_MAX_MB", 20, low=1, doc="Largest document a partner may upload, in megabytes."
)

# Background work: Redis makes it fast, the database remembers what is due. One-off commands and tests go without.
CACHES: dict[str, Any] = {
    "default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}  # the embedded portal serves from one process
}
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1) or "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
    "visibility_timeout": 600,
    "socket_timeout": 5,
    "socket_connect_timeout": 0.5,
    # a page that publishes a task does not wait for an unreachable Redis: the sweep finds the row
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
# no schedule file that a killed beat could leave torn: the database knows when each job last ran
CELERY_BEAT_SCHEDULER = "portal.jobs.beat:Scheduler"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# the longest task: a round of due runs (20 s) whose last one begins its checks for 150 s, the last of them for 120 s
CELERY_TASK_SOFT_TIME_LIMIT = 300
CELERY_TASK_TIME_LIMIT = 330
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

LOG_LEVEL = environment.read_choice(
    "LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"), doc="How much is logged."
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
}
