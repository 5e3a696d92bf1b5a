"""Secrets that can be told by their form: the prefixes under which providers issue keys."""

import re
from typing import NamedTuple


class Provider(NamedTuple):
    """A pattern is only tried on a text that holds one of `needles`, which is far quicker to find out."""

    detector: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]


def _provider(detector: str, needles: str, pattern: str) -> Provider:
    return Provider(detector, tuple(needles.split()), re.compile(pattern))


# Prefixes that no other text holds need no boundary before them: one that stands against a letter is still a key.
# Nothing here can fail after a long run, so that each costs the same for every character.
PROVIDERS = (
    _provider("aws-access-key", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16,64}"),
    _provider("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _provider("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}"),
    _provider("gitlab-token", "glpat- gldt- glrt- glptt- glcbt-", r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{16,255}"),
    _provider("slack-token", "xox xapp-", r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,255}"),
    _provider(
        "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,255}"
    ),
    _provider("discord-webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{15,25}/[A-Za-z0-9_-]{20,128}"),
    _provider(
        "stripe-key", "sk_ rk_ whsec_", r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{20,255})"
    ),
    _provider("google-key", "AIza", r"AIza[A-Za-z0-9_-]{30,100}"),
    _provider("google-oauth", "ya29. GOCSPX-", r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,2048}"),
    _provider("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{12,255}"),
    _provider("openai-key", "sk-proj- sk-svcacct- sk-admin-", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,255}"),
    # Plain "sk-": many kebab-case words end so. A key is one run of letters and digits, with a digit in it.
    _provider(
        "openai-key", "sk-", r"(?<![A-Za-z0-9])sk-(?:[a-z0-9]{2,8}-){0,2}(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9_]{20,255}"
    ),
    _provider("hugging-face-token", "hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,100}"),
    _provider("groq-key", "gsk_", r"(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,100}"),
    _provider("npm-token", "npm_", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,100}"),
    _provider("pypi-token", "pypi-", r"(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{40,2048}"),
    _provider("sendgrid-key", "SG.", r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,100}"),
    _provider("mailgun-key", "key-", r"(?<![A-Za-z0-9])key-[0-9a-f]{32}"),
    _provider("twilio-key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}"),
    _provider(
        "azure-key",
        "AccountKey= SharedAccessKey= SharedAccessSignature=",
        r"(?:(?<=AccountKey=)|(?<=SharedAccessKey=)|(?<=SharedAccessSignature=))[^\s\0;\"'<>\\]{20,2048}",
    ),
    _provider("azure-key", "sig=", r"(?<=[?&;]sig=)[A-Za-z0-9%/+=_-]{30,255}"),
    _provider("digitalocean-token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _provider("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _provider("telegram-token", ":AA", r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    _provider("vault-token", "hvs.", r"(?<![A-Za-z0-9])hvs\.[A-Za-z0-9_-]{24,255}"),
    _provider("databricks-token", "dapi", r"(?<![A-Za-z0-9])dapi[0-9a-f]{32}"),
    _provider("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _provider("memoryplane-key", "mp_", r"(?<![A-Za-z0-9])mp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}"),
)
