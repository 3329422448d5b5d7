"""Django settings. Everything that differs between installations comes from environment variables."""

from datetime import timedelta

from csp.constants import NONCE, NONE, SELF
from django.conf.locale import LANG_INFO

from portal.accounts.allauth_settings import *  # noqa: F403
from portal.accounts.provider_settings import build_providers, list_origins
from portal.database_url import parse_database_url
from portal.embedded_secrets import load_or_create_secret
from portal.environment import BASE_DIR, PortalSettings, load_settings, read_package_version
from portal.jobs.celery_settings import *  # noqa: F403
from portal.notifications import email_providers
from portal.production_checks import require_safe_settings

environment = load_settings()
DATA_DIR = environment.PORTAL_DATA
PORT = environment.PORT
PRODUCTION = environment.PORTAL_ENV == "production"
DEBUG = environment.PORTAL_DEBUG
SITE_URL = environment.SITE_URL
PORTAL_VERSION = environment.PORTAL_VERSION or read_package_version()
ALLOWED_HOSTS = environment.ALLOWED_HOSTS
CSRF_TRUSTED_ORIGINS = [SITE_URL]
TRUSTED_PROXIES = environment.TRUSTED_PROXIES
DATABASES = {"default": parse_database_url(environment.DATABASE_URL.get_secret_value())}
REDIS_URL = environment.REDIS_URL.get_secret_value()
AUDIT_ANCHOR_DIR = environment.AUDIT_ANCHOR_DIR
ALLOW_LOOPBACK_HTTP = environment.ALLOW_LOOPBACK_HTTP
BLOCKED_NETWORKS = environment.BLOCKED_NETWORKS
SANDBOX_SOCKET = environment.SANDBOX_SOCKET

require_safe_settings(environment, DATABASES["default"])
SECRET_KEY = environment.SECRET_KEY.get_secret_value() or load_or_create_secret(DATA_DIR, "SECRET_KEY")
ENCRYPTION_KEYS = [key.get_secret_value() for key in environment.ENCRYPTION_KEYS] or [
    load_or_create_secret(DATA_DIR, "ENCRYPTION_KEYS")
]
BADGE_SIGNING_KEYS = [key.get_secret_value() for key in environment.BADGE_SIGNING_KEYS] or [
    load_or_create_secret(DATA_DIR, "BADGE_SIGNING_KEYS")
]
AUDIT_KEYS = {key_id: key.get_secret_value() for key_id, key in environment.AUDIT_KEYS.items()} or {
    "embedded": load_or_create_secret(DATA_DIR, "AUDIT_KEYS")
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "portal.core",  # before Django's auth, whose createsuperuser and changepassword it replaces
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
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
    "portal.github_access",
    "integrations.partners",
    "integrations.submissions",
    "integrations.reviews",
    "verification.sources",
    "verification.checks",
    "verification.schemas",
    "verification.testruns",
    "integrations.sla",
    "verification.preflight",
    "verification.discovery",
    "integrations.compliance",
    "integrations.escalations",
    "portal.webhooks",
    "portal.analytics",
    "portal.directory",
    "portal.reports",
    "portal.status",
    "portal.inbox",
    "portal.api",
    "portal.dashboard",
    "portal.help",
    "portal.search",
    "portal.styleguide",
    "portal.demo",
    "portal",
]
MIDDLEWARE = [
    "integrations.sla.middleware.route_inbound_webhooks",  # first, because requests of machines need no session
    "portal.core.call_frames.keep_frames_together",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.core.middleware.PublicGzipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "portal.core.middleware.forbid_storing_private_pages",
    "portal.core.middleware.redirect_whole_page",
    "portal.core.unsent_forms.store_unsent_forms",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "portal.accounts.second_factor.RequireSecondFactorMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "portal.ui.htmx.skip_unchanged_parts",
    "portal.core.middleware.activate_user_zone",
    "portal.analytics.saved_views.middleware.DefaultSavedViewMiddleware",
]
ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
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
                "django.contrib.humanize.templatetags.humanize",
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
FORMS_URLFIELD_ASSUME_HTTPS = True  # the default of Django 6

# People
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
GITHUB_CLIENT_ID = environment.GITHUB_CLIENT_ID
GITHUB_CLIENT_SECRET = environment.GITHUB_CLIENT_SECRET.get_secret_value()
GITHUB_APP_SLUG = environment.GITHUB_APP_SLUG
GITHUB_WEB_URL = environment.GITHUB_WEB_URL
GITHUB_API_URL = environment.GITHUB_API_URL
GITHUB_TOKEN = environment.GITHUB_TOKEN.get_secret_value()
GITHUB_APP_ID = environment.GITHUB_APP_ID
GITHUB_APP_INSTALLATION = environment.GITHUB_APP_INSTALLATION
GITHUB_APP_KEY = environment.GITHUB_APP_KEY.get_secret_value().replace("\\n", "\n")
REGISTRY_URL = environment.REGISTRY_URL
DNS_SERVERS = environment.DNS_SERVERS
# Without an issuer, no other variable of single sign-on counts.
single_sign_on = environment if environment.OIDC_ISSUER else PortalSettings.model_construct()
OIDC_ISSUER = single_sign_on.OIDC_ISSUER
OIDC_DOMAINS = [domain.lower() for domain in single_sign_on.OIDC_DOMAINS]
OIDC_GROUPS_CLAIM = single_sign_on.OIDC_GROUPS_CLAIM
OIDC_GROUP_ROLES = single_sign_on.OIDC_GROUP_ROLES
OIDC_OMITS_EMPTY_GROUPS = single_sign_on.OIDC_OMITS_EMPTY_GROUPS
OIDC_REQUIRED = single_sign_on.OIDC_REQUIRED
OIDC_SECOND_FACTOR = single_sign_on.OIDC_SECOND_FACTOR
OIDC_LOGOUT_URL = single_sign_on.OIDC_LOGOUT_URL
SOCIALACCOUNT_PROVIDERS = build_providers(environment)
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION  # for http://localhost; browsers refuse other HTTP origins
STAFF_SECOND_FACTOR = environment.STAFF_SECOND_FACTOR
ADMINISTRATOR_APPROVAL = environment.ADMINISTRATOR_APPROVAL

# Pages
LANGUAGE_CODE = "en"  # also of emails and stored texts, whoever reads them
LANGUAGES = [
    (code, LANG_INFO[code]["name_local"]) for code in dict.fromkeys([LANGUAGE_CODE, *environment.PORTAL_LANGUAGES])
]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = len(LANGUAGES) > 1  # looking up each text takes a fifth of the time of a page
if USE_I18N:  # with one language, responses must not vary by Accept-Language
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.middleware.common.CommonMiddleware"), "django.middleware.locale.LocaleMiddleware"
    )
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATIC_ROOT = environment.STATIC_ROOT
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = not PRODUCTION
if PRODUCTION:
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {
            "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage",
            # Readable by everyone, unlike uploads: the web server may run as another user.
            "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
        },
    }
MEDIA_ROOT = DATA_DIR / "uploads"
MEDIA_URL = ""  # a view that checks permissions serves the uploads
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "portal.core.uploads.UploadLimitHandler",  # first, so that files that are too large are not stored
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
        "form-action": [SELF, GITHUB_WEB_URL, *list_origins(OIDC_ISSUER, OIDC_LOGOUT_URL)],
        "frame-ancestors": [NONE],
    }
}
SESSION_ENGINE = "portal.core.sessions"
SESSION_COOKIE_AGE = int(timedelta(days=7).total_seconds())
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]  # health checks come from inside, not through the HTTPS proxy
    if TRUSTED_PROXIES:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds())
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Email: stored as rows, then sent by jobs. Without a server or provider, emails stay in the email log.
EMAIL_HOST = environment.EMAIL_HOST
EMAIL_PORT = environment.EMAIL_PORT
EMAIL_HOST_USER = environment.EMAIL_HOST_USER
EMAIL_HOST_PASSWORD = environment.EMAIL_HOST_PASSWORD.get_secret_value()
EMAIL_USE_TLS = environment.EMAIL_USE_TLS
EMAIL_TIMEOUT = 20
EMAIL_BACKEND = email_providers.get_backend(environment.EMAIL_PROVIDER, host=EMAIL_HOST)
ANYMAIL = email_providers.build_anymail_settings(
    environment.EMAIL_PROVIDER,
    key=environment.EMAIL_PROVIDER_KEY.get_secret_value(),
    address=environment.EMAIL_PROVIDER_URL,
)
DEFAULT_FROM_EMAIL = environment.DEFAULT_FROM_EMAIL
EMAIL_STORED_ONLY = not EMAIL_HOST and environment.EMAIL_PROVIDER == email_providers.SMTP
EMAIL_LOG_PUBLIC = environment.EMAIL_LOG_PUBLIC and EMAIL_STORED_ONLY and not PRODUCTION

# Programs
PROGRAM_EDITIONS = environment.PROGRAM_EDITIONS
UNDO_MINUTES = environment.UNDO_MINUTES
REVIEW_CLAIM_MINUTES = environment.REVIEW_CLAIM_MINUTES
REAUTHENTICATION_MINUTES = environment.REAUTHENTICATION_MINUTES
ACCOUNT_REAUTHENTICATION_TIMEOUT = 60 * REAUTHENTICATION_MINUTES
NOTICE_GRACE_DAYS = environment.NOTICE_GRACE_DAYS
DELISTING_AFTER_DAYS = environment.DELISTING_AFTER_DAYS
SLA_NOTICE_BREACH_COUNT = environment.SLA_NOTICE_BREACH_COUNT
SLA_NOTICE_WINDOW_DAYS = environment.SLA_NOTICE_WINDOW_DAYS
SLA_NOTICE_OVERDUE_FACTOR = environment.SLA_NOTICE_OVERDUE_FACTOR
ESCALATION_INTERVAL_HOURS = environment.ESCALATION_INTERVAL_HOURS
CONTACT_CONFIRMATION_DAYS = environment.CONTACT_CONFIRMATION_DAYS
API_REQUESTS_PER_MINUTE = environment.API_REQUESTS_PER_MINUTE
REPORT_ZONE = environment.REPORT_ZONE
UPLOAD_MAX_MB = environment.UPLOAD_MAX_MB

# Background work: Redis makes it fast, and the database holds what is due. Commands and tests run without Redis.
CACHES: dict[str, object] = {
    "default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}  # the embedded portal serves from one process
}
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1) or "memory://"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": environment.LOG_LEVEL},
}
