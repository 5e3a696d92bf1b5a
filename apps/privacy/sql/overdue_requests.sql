-- Requests past their date of which nobody has said so yet, across projects: ids, nothing else.
CREATE FUNCTION overdue_requests(n int) RETURNS TABLE (project_id bigint, id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT r.project_id, r.id FROM privacy_privacyrequest r
    WHERE r.state NOT IN ('completed', 'completed_with_exceptions', 'rejected', 'cancelled', 'duplicate')
      AND r.paused_at IS NULL AND coalesce(r.extended_until, r.due_at) < clock_timestamp()
      AND NOT EXISTS (
        SELECT FROM audit_auditevent e WHERE e.project_id = r.project_id AND e.object_type = 'privacy_request'
           AND e.object_id = r.id::text AND e.verb = 'privacy.overdue')
    ORDER BY r.due_at LIMIT n;
$$;
