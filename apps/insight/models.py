"""The figures of a project, how far each member has seen, and the lists of facts that members come back to."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.access.models import User
from apps.tenancy.models import Project


class Figures(models.Model):
    """What `sql/figures.sql` counted at ``at``: its JSON has numbers, codes and ids of facts. ``stamp`` is what the
    project's newest rows were then, by which an idle one is known; ``next_at`` is when to look again."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE)
    at = models.DateTimeField()
    next_at = models.DateTimeField()
    stamp = models.CharField(max_length=200)
    counted = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="insight_figures_next_idx")]

    def __str__(self) -> str:
        return f"figures of {self.project_id}"


class Visit(models.Model):
    """Up to when a member has seen what changed in a project: he says so himself."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="insight_visit_uniq")]

    def __str__(self) -> str:
        return f"{self.user_id} until {self.seen_at:%Y-%m-%d %H:%M}"


class SavedView(models.Model):
    """A filter of the list of facts under a name, of one member and, when ``shared``, for all. ``query`` is the list's
    query string as JSON: a name to its value, or to a list of values. It can name a subject, and so can ``name``. The
    ``is_default`` one is what its member is shown when he opens the list without a filter."""

    id: int
    user_id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    name = models.CharField(max_length=60)
    query = models.JSONField()
    shared = models.BooleanField(default=False)
    is_default = models.BooleanField(default=False)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user", "name"], name="insight_view_name_uniq"),
            models.UniqueConstraint(
                fields=["project", "user"], condition=Q(is_default=True), name="insight_view_default_uniq"
            ),
            models.CheckConstraint(condition=~Q(name="") & ~Q(query={}), name="insight_view_says_chk"),
        ]
        # What others share.
        indexes = [models.Index(fields=["project"], condition=Q(shared=True), name="insight_view_shared_idx")]

    def __str__(self) -> str:
        return f"view {self.pk}"
