"""All settings, one file. What an operator chooses comes from the environment through ``env.py``."""

from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from memoryplane import env as environment

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.1.0"
try:
    env = environment.load()
    VAR_DIR = environment.var_dir()
    DEBUG = env.boolean("MEMORYPLANE_DEBUG", False)
    HTTPS = env.boolean("MEMORYPLANE_HTTPS", False)
    PUBLIC_URL = env.text("MEMORYPLANE_PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
    ALLOWED_HOSTS = env.names("MEMORYPLANE_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
    # How many proxies stand in front and write X-Forwarded-For; 0 believes none of it.
    TRUSTED_PROXIES = env.whole("MEMORYPLANE_TRUSTED_PROXIES", 0, least=0, most=8)
    SESSION_HOURS = env.whole("MEMORYPLANE_SESSION_HOURS", 8, least=1, most=24)
    SESSION_IDLE_MINUTES = env.whole("MEMORYPLANE_SESSION_IDLE_MINUTES", 30, least=5, most=1440)
    # Whether administrators and privacy officers need a code besides the password.
    REQUIRE_SECOND_STEP = env.boolean("MEMORYPLANE_REQUIRE_TOTP", False)
    # The identity provider through which people may sign in; linked by issuer and subject alone.
    OIDC_ISSUER = env.url("MEMORYPLANE_OIDC_ISSUER", "")
    OIDC_CLIENT_ID = env.text("MEMORYPLANE_OIDC_CLIENT_ID", "")
    OIDC_CLIENT_SECRET = env.text("MEMORYPLANE_OIDC_CLIENT_SECRET", "")
    OIDC_NAME = env.text("MEMORYPLANE_OIDC_NAME", "single sign-on")
    if OIDC_ISSUER and not (OIDC_CLIENT_ID and OIDC_CLIENT_SECRET):
        raise environment.EnvError("MEMORYPLANE_OIDC_ISSUER needs MEMORYPLANE_OIDC_CLIENT_ID and _CLIENT_SECRET.")
    if OIDC_ISSUER.startswith("http:") and not environment.is_local(urlsplit(OIDC_ISSUER).hostname):
        raise environment.EnvError("MEMORYPLANE_OIDC_ISSUER must begin with https://.")
    if len(OIDC_ISSUER) > 200:
        raise environment.EnvError("MEMORYPLANE_OIDC_ISSUER must have at most 200 characters.")
    SECRET_KEY = env.secret("SECRET_KEY")
    KEY_PEPPER = env.secret("MEMORYPLANE_KEY_PEPPER")
    AUDIT_KEY = env.secret("MEMORYPLANE_AUDIT_KEY")
    TOMBSTONE_KEY = env.secret("MEMORYPLANE_TOMBSTONE_KEY")
    # One person runs it: nobody else can approve an erasure, and each receipt says so.
    SINGLE_OPERATOR = env.boolean("MEMORYPLANE_SINGLE_OPERATOR", False)
    # Whether an erasure waits until the owner's process has rewritten the tables (manage.py purge).
    PURGE_WAITS = env.boolean("MEMORYPLANE_PURGE_WAITS", True)
    # The hours (UTC) in which tables may be written anew, which locks each as long as that takes; always, if none are named.
    PURGE_WINDOW = env.hours("MEMORYPLANE_PURGE_WINDOW")
    # How long that waits for a table's lock, while everybody else waits behind it; a busy table is tried again.
    PURGE_LOCK_SECONDS = env.seconds("MEMORYPLANE_PURGE_LOCK_SECONDS", 3)
    # For how many days it is remembered what may not come back; longer where a backup of before is kept longer.
    TOMBSTONE_DAYS = env.whole("MEMORYPLANE_TOMBSTONE_DAYS", 400, least=30, most=3_650)
    # Beside the database, never inside its backups: what a restore has to erase again.
    ERASURE_LOG = Path(env.text("MEMORYPLANE_ERASURE_LOG", str(VAR_DIR / "erasures.jsonl")))
    # In a second place too: where the chains of the audit log end, every ten minutes.
    AUDIT_HEADS = Path(env.text("MEMORYPLANE_AUDIT_HEADS", str(VAR_DIR / "audit-heads.jsonl")))
    SETTLE_SECONDS = env.seconds("MEMORYPLANE_SETTLE_SECONDS", 10)
    QUIET_SECONDS = env.seconds("MEMORYPLANE_QUIET_SECONDS", 60)
    EXTRACT_SLOTS = env.whole("MEMORYPLANE_EXTRACT_SLOTS", 16, least=1, most=256)
    EXTRACT_CONNECTIONS = env.whole("MEMORYPLANE_EXTRACT_CONNECTIONS", 2, least=1, most=16)
    EXTRACT_MESSAGE_CHARACTERS = env.whole(
        "MEMORYPLANE_EXTRACT_MESSAGE_CHARACTERS", 32_000, least=1_000, most=1_000_000
    )
    EXTRACT_TRACE_CHARACTERS = env.whole("MEMORYPLANE_EXTRACT_TRACE_CHARACTERS", 200_000, least=1_000, most=1_000_000)
    LOG_FORMAT = env.choice("MEMORYPLANE_LOG_FORMAT", "text", ("text", "json"))
    LLM_BASE_URL = env.url("MEMORYPLANE_LLM_BASE_URL", "")
    LLM_API_KEY = env.text("MEMORYPLANE_LLM_API_KEY", "")
    LLM_MODELS = env.models("MEMORYPLANE_LLM_MODELS")
    LLM_TIMEOUT = env.seconds("MEMORYPLANE_LLM_TIMEOUT", 60)
    INJECTION_JUDGE = env.text("MEMORYPLANE_INJECTION_JUDGE", "")
    EMBEDDER = env.choice("MEMORYPLANE_EMBEDDER", "minilm", ("minilm", "remote", "none"))
    EMBED_THREADS = int(env.choice("MEMORYPLANE_EMBED_THREADS", "1", ("1", "2", "4", "8", "16")))
    EMBED_BASE_URL = env.url("MEMORYPLANE_EMBED_BASE_URL", LLM_BASE_URL)
    # The key of one server is never shown to another.
    EMBED_API_KEY = env.text("MEMORYPLANE_EMBED_API_KEY", LLM_API_KEY if EMBED_BASE_URL == LLM_BASE_URL else "")
    EMBED_MODEL = env.text("MEMORYPLANE_EMBED_MODEL", "")
    # The one that was in use before, for questions until the new one has embedded every fact.
    PREVIOUS_EMBED_MODEL = env.text("MEMORYPLANE_PREVIOUS_EMBED_MODEL", "")
    PREVIOUS_EMBED_BASE_URL = env.url("MEMORYPLANE_PREVIOUS_EMBED_BASE_URL", EMBED_BASE_URL)
    PREVIOUS_EMBED_API_KEY = env.text(
        "MEMORYPLANE_PREVIOUS_EMBED_API_KEY", EMBED_API_KEY if PREVIOUS_EMBED_BASE_URL == EMBED_BASE_URL else ""
    )
    EMBED_TIMEOUT = env.seconds("MEMORYPLANE_EMBED_TIMEOUT", 10)
    # An agent's turn waits for it; over it, facts are ranked by words and importance.
    QUERY_EMBED_TIMEOUT = env.seconds("MEMORYPLANE_QUERY_EMBED_TIMEOUT", 2)
    # Hosts of the operator's own network that webhooks may go to, "host" or "host:port"; all others must be public and https.
    WEBHOOK_HOSTS = env.names("MEMORYPLANE_WEBHOOK_HOSTS", [])
    if LLM_MODELS and not LLM_BASE_URL:
        raise environment.EnvError("MEMORYPLANE_LLM_MODELS needs MEMORYPLANE_LLM_BASE_URL.")
    if INJECTION_JUDGE and INJECTION_JUDGE not in {model[0] for model in LLM_MODELS}:
        raise environment.EnvError("MEMORYPLANE_INJECTION_JUDGE is none of the names in MEMORYPLANE_LLM_MODELS.")
    if EMBEDDER == "remote" and not (EMBED_BASE_URL and EMBED_MODEL):
        raise environment.EnvError("MEMORYPLANE_EMBEDDER=remote needs MEMORYPLANE_EMBED_BASE_URL and _EMBED_MODEL.")
    if PREVIOUS_EMBED_MODEL and not PREVIOUS_EMBED_BASE_URL:
        raise environment.EnvError("MEMORYPLANE_PREVIOUS_EMBED_MODEL needs MEMORYPLANE_PREVIOUS_EMBED_BASE_URL.")
    if EMBEDDER == "remote" and PREVIOUS_EMBED_MODEL == EMBED_MODEL:
        raise environment.EnvError(
            "MEMORYPLANE_PREVIOUS_EMBED_MODEL and _EMBED_MODEL are one name: vectors are told apart by it."
        )
    REDIS_URL = env.text("REDIS_URL")
    application, owner = env.database("DATABASE_APP_URL"), env.database("DATABASE_URL")
except environment.EnvError as error:
    raise ImproperlyConfigured(str(error)) from error

INSTALLED_APPS = [
    "memoryplane",
    "apps.core",
    "apps.audit",
    "apps.tenancy",
    "apps.access",
    "apps.traces",
    "apps.facts",
    "apps.recall",
    "apps.curation",
    "apps.extraction",
    "apps.dreaming",
    "apps.exchange",
    "apps.insight",
    "apps.privacy",
    "apps.api",
    "apps.console",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "csp",
]

MIDDLEWARE = [
    "apps.api.middleware.ApiApart",  # the API's paths go no further; the rest is the console's
    "apps.console.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "apps.console.sessions.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "memoryplane.urls"
WSGI_APPLICATION = "memoryplane.wsgi.application"
APPEND_SLASH = False  # agents do not follow redirects
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

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
                "apps.console.context.shell",
            ],
            "builtins": ["django.templatetags.static"],
        },
    }
]

# Two roles: `default` is the application's, held by row-level security; `owner` migrates and backs up.
# A stuck lock or statement becomes a 503 instead of a hanging process. What is read lies in memory or on a disk without arms:
# with the cost of one that has them, plans read whole tables of ten thousand rows.
for database in (application, owner):
    options = database["OPTIONS"]
    assert isinstance(options, dict)
    options.setdefault("connect_timeout", "5")
    database["CONN_MAX_AGE"] = 600
SESSION = "-c statement_timeout=30000 -c lock_timeout=5000 -c timezone=UTC -c random_page_cost=1.1"
application["OPTIONS"]["options"] = SESSION  # type: ignore[index]
DATABASES = {"default": application, "owner": owner}
DATABASE_ROUTERS = ["memoryplane.routers.OwnerMigrates"]

AUTH_USER_MODEL = "access.User"
AUTHENTICATION_BACKENDS = ["apps.console.accounts.MemberBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "apps.console.accounts.ClosedAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_RATE_LIMITS = False  # apps/access/tries.py counts, in the database: adr/0016
MFA_ADAPTER = "apps.access.second_step.SealingAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Memory plane"
SOCIALACCOUNT_ADAPTER = "apps.console.oidc.SocialAdapter"
SOCIALACCOUNT_STORE_TOKENS = SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"

CACHES = {
    "default": {
        "BACKEND": "apps.core.redis_cache.RedisCache",
        "LOCATION": REDIS_URL,
        # A Redis that hangs is a Redis that is away.
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    }
}
SESSION_ENGINE = "apps.console.sessions"
# From the sign-in on; a session's row ends after SESSION_IDLE_MINUTES without a request.
SESSION_COOKIE_AGE = SESSION_HOURS * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_TRUSTED_ORIGINS = ["{0.scheme}://{0.netloc}".format(urlsplit(PUBLIC_URL))]
CSRF_FAILURE_VIEW = "apps.console.views.errors.csrf_failure"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# Redirects to https are the proxy's work: agents follow none, so the public paths must answer as they are asked.
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^public/v1/", r"^v1/", r"^api/v1/", r"^healthz$", r"^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 34 * 1024 * 1024  # above a trace batch of 32 MB; each API path has a limit of its own

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["apps.api.auth.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["apps.api.auth.HasKey"],
    "DEFAULT_PARSER_CLASSES": ["apps.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["apps.api.parsers.OrjsonRenderer"],
    "EXCEPTION_HANDLER": "apps.api.errors.handle",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "memoryplane",
    "VERSION": "1",
    "DESCRIPTION": "What agents may be told, and how they tell what happened.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/v1",
    "POSTPROCESSING_HOOKS": ["apps.api.openapi.add_plain_paths"],
}

LOGGING_CONFIG = "memoryplane.logs.configure"
LOGGING = {"format": LOG_FORMAT}
