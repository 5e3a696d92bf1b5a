"""Users, memberships with roles, and API keys with their grants."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property

from apps.access.actor import Actor
from apps.tenancy.models import Project

SENSITIVITIES = ["public", "internal", "personal", "special"]
THEMES = ["light", "dark"]
DENSITIES = ["comfortable"]


class Role(models.TextChoices):
    """What a member may do in a project (one membership row each); no role implies another."""

    VIEWER = "viewer"
    CURATOR = "curator"
    PRIVACY_OFFICER = "privacy_officer", "privacy officer"
    ADMIN = "admin"
    AUDITOR = "auditor"


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """Somebody who logs in. What he may do stands in his memberships alone; there is no superuser."""

    id: int
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(db_default=Now())
    # What `known_user` read together with the row; null on a user that was read otherwise.
    known_memberships: "list[Membership] | None" = None
    has_second_step = False
    # How the console looks to him; empty follows his system.
    theme = models.CharField(max_length=11, blank=True, default="", db_default="")
    density = models.CharField(max_length=11, blank=True, default="", db_default="")
    single_keys = models.BooleanField(default=True, db_default=True)
    time_zone = models.CharField(max_length=64, default="UTC", db_default="UTC")
    # Part of what a session must know: one higher, and every session from before is over.
    session_round = models.IntegerField(default=0, db_default=0)

    objects = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(theme__in=["", *THEMES]), name="access_user_theme_chk"),
            models.CheckConstraint(condition=Q(density__in=["", *DENSITIES]), name="access_user_density_chk"),
            models.CheckConstraint(condition=Q(time_zone__regex=r"\S"), name="access_user_zone_chk"),
        ]

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """As Django makes it, of the password and the round: a new one of either ends the sessions of before."""
        salt = "memoryplane.access.session"
        return salted_hmac(salt, f"{self.password}:{self.session_round}", secret=secret, algorithm="sha256").hexdigest()

    def __str__(self) -> str:
        return self.name or self.email


class Membership(models.Model):
    """One role of one user in one project."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project", "role"], name="access_membership_uniq"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="access_membership_role_chk"),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role}"


class ApiKey(models.Model):
    """A key of an agent or a back end. The secret is never stored: only its HMAC under a pepper kept elsewhere.

    ``agents``, ``categories`` and ``purposes``: null allows all, an empty list allows none.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=120)
    environment = models.CharField(max_length=20, default="live")
    public_id = models.CharField(max_length=8, unique=True)
    secret_hash = models.BinaryField()
    scopes = ArrayField(models.CharField(max_length=40), default=list)
    agents = ArrayField(models.UUIDField(), null=True)
    categories = ArrayField(models.CharField(max_length=60), null=True)
    purposes = ArrayField(models.CharField(max_length=60), null=True)
    sensitivity_ceiling = models.CharField(max_length=10, default="personal")
    write_mode = models.CharField(max_length=10, default="propose")
    ip_allow = ArrayField(models.CharField(max_length=49), null=True)
    rate_per_minute = models.IntegerField(null=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    last_ip_class = models.CharField(max_length=43, blank=True)
    # When somebody last asked with it after its end.
    refused_at = models.DateTimeField(null=True)
    rotated_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="successors")
    # Of the wish it came from: the same wish sent twice makes one key.
    idempotency_key = models.CharField(max_length=64, null=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    revoke_reason = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "idempotency_key"], name="access_apikey_wish_uniq"),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="access_apikey_name_chk"),
            models.CheckConstraint(condition=Q(public_id__regex=r"^[0-9A-Za-z]{8}$"), name="access_apikey_public_chk"),
            models.CheckConstraint(
                condition=Q(sensitivity_ceiling__in=SENSITIVITIES), name="access_apikey_ceiling_chk"
            ),
            models.CheckConstraint(condition=Q(write_mode__in=["direct", "propose"]), name="access_apikey_write_chk"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="access_apikey_expiry_chk"),
            models.CheckConstraint(
                condition=Q(rate_per_minute__isnull=True) | Q(rate_per_minute__gt=0),
                name="access_apikey_rate_chk",
            ),
            models.CheckConstraint(
                condition=Q(revoked_at__isnull=True, revoke_reason="") | Q(revoked_at__isnull=False),
                name="access_apikey_revoked_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"mp_{self.public_id}"

    @cached_property
    def actor(self) -> Actor:
        """The key with its scopes and agents in its project."""
        return Actor(
            kind="key",
            id=str(self.id),
            project_id=self.project_id,
            scopes=frozenset(self.scopes),
            agents=None if self.agents is None else frozenset(self.agents),
            direct=self.write_mode == "direct",
        )

    @property
    def allowed_sensitivities(self) -> list[str]:
        """Every label up to the ceiling."""
        return SENSITIVITIES[: SENSITIVITIES.index(self.sensitivity_ceiling) + 1]


class Invitation(models.Model):
    """A seat in a project for whoever has the link, of which only a keyed digest is stored. Good once, until it expires."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    roles = ArrayField(models.CharField(max_length=20), default=list)
    token_hash = models.BinaryField()
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token_hash"], name="access_invitation_token_uniq"),
            # Asked again, somebody gets a new link and the old one is over.
            models.UniqueConstraint(
                fields=["project", "email"],
                condition=Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="access_invitation_open_uniq",
            ),
            models.CheckConstraint(
                condition=Q(roles__contained_by=Role.values) & ~Q(roles=[]), name="access_invitation_roles_chk"
            ),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="access_invitation_expiry_chk"),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(revoked_at__isnull=True), name="access_invitation_end_chk"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class SignInCount(models.Model):
    """How often a password or a code was tried of late: for one account, from one address, or by one browser. Only a keyed
    digest says which. Rows go by themselves once ``ends_at`` has passed."""

    digest = models.CharField(max_length=64, primary_key=True)
    tries = models.IntegerField(default=0, db_default=0)
    window_ends_at = models.DateTimeField()
    # Somebody signed in from there: until then what others try elsewhere does not keep him out.
    known_until = models.DateTimeField(null=True)
    # The later of the two above.
    ends_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="access_signincount_digest_chk"),
            models.CheckConstraint(condition=Q(tries__gte=0), name="access_signincount_tries_chk"),
        ]

    def __str__(self) -> str:
        return f"{self.tries} tries"
