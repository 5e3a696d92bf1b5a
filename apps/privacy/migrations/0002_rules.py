"""Row-level security, composite keys, the legal moves of a request, receipts that never change, and the owner's functions."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, refuse_writes, row_security
from apps.core.sqlfiles import load

TABLES = ["privacy_privacyrequest", "privacy_requestidentity", "privacy_hold", "privacy_receipt"]

PAIRS = [
    "awaiting_approval>cancelled", "awaiting_approval>previewed", "awaiting_approval>rejected",
    "awaiting_approval>suppressing", "completed_with_exceptions>triage", "duplicate>cancelled", "duplicate>triage",
    "erasing>needs_attention", "erasing>purging", "fulfilling>completed", "fulfilling>completed_with_exceptions",
    "fulfilling>needs_attention", "identity_check>cancelled", "identity_check>duplicate", "identity_check>rejected",
    "identity_check>triage", "needs_attention>erasing", "needs_attention>fulfilling", "needs_attention>purging",
    "needs_attention>suppressing", "needs_attention>verifying", "previewed>awaiting_approval", "previewed>cancelled",
    "previewed>previewed", "previewed>rejected", "purging>needs_attention", "purging>verifying", "received>cancelled",
    "received>duplicate", "received>identity_check", "received>rejected", "received>triage", "suppressing>erasing",
    "suppressing>needs_attention", "suppressing>previewed", "triage>cancelled", "triage>duplicate", "triage>fulfilling",
    "triage>previewed", "triage>rejected", "verifying>completed", "verifying>completed_with_exceptions",
    "verifying>needs_attention",
]  # fmt: skip
_ARGUMENTS = ", ".join(f"'{pair}'" for pair in PAIRS)


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0001_initial"),
        ("facts", "0005_audience"),
        ("curation", "0002_rules"),
        ("extraction", "0003_trust"),
        ("traces", "0002_rules"),
    ]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("privacy_privacyrequest", "subject_id", "tenancy_subject", on_delete="SET NULL", index=False),
        composite_fk("privacy_privacyrequest", "duplicate_of_id", "privacy_privacyrequest", on_delete="SET NULL"),
        composite_fk(
            "privacy_requestidentity", "request_id", "privacy_privacyrequest", on_delete="CASCADE", index=False
        ),
        composite_fk("privacy_receipt", "request_id", "privacy_privacyrequest", on_delete="RESTRICT", index=False),
        refuse_writes("privacy_receipt", message="A receipt is never changed."),
        migrations.RunSQL(
            load("apps.privacy", "legal_moves")
            + "CREATE TRIGGER privacy_legal_move BEFORE UPDATE ON privacy_privacyrequest FOR EACH ROW"
            f" EXECUTE FUNCTION privacy_legal_move({_ARGUMENTS});",
            "DROP TRIGGER privacy_legal_move ON privacy_privacyrequest; DROP FUNCTION privacy_legal_move();",
        ),
        migrations.RunSQL(load("apps.privacy", "mentioning"), "DROP FUNCTION privacy_mentioning(text[]);"),
        migrations.RunSQL(load("apps.privacy", "claim_requests"), "DROP FUNCTION claim_requests(int, interval, text);"),
    ]
