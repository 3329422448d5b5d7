-- Process one batch of due clocks: lock, evaluate, update, and record each clock once.
-- Parameters: now, limit, again (time of the next check of clocks with incomplete data).
-- MATERIALIZED: take the locks once, in index order.
WITH due AS MATERIALIZED (
    SELECT clock.id, clock.issue_id, clock.monitored_repository_id, clock.integration_id, clock.target_type,
           clock.severity, clock.due_at, clock.next_at, clock.warned, clock.warn50_at, clock.warn75_at, clock.warn90_at
      FROM sla_slaclock clock
     WHERE clock.next_at <= %(now)s
     ORDER BY clock.next_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
), judged AS MATERIALIZED (
    SELECT due.*,
           CASE WHEN due.due_at <= %(now)s AND repository.data_up_to < due.due_at THEN 'data_incomplete'
                WHEN due.due_at <= %(now)s THEN 'breached'
                WHEN repository.data_up_to < due.next_at THEN 'data_incomplete'
                ELSE 'warned' END AS kind,
           CASE WHEN due.due_at <= %(now)s THEN 100
                WHEN due.warn90_at <= %(now)s THEN 90
                WHEN due.warn75_at <= %(now)s THEN 75
                ELSE 50 END AS share
      FROM due JOIN sla_monitoredrepository repository ON repository.id = due.monitored_repository_id
), moved AS (
    UPDATE sla_slaclock clock
       SET next_at = CASE WHEN judged.kind = 'data_incomplete' THEN %(again)s
                          WHEN judged.kind = 'breached' THEN NULL
                          WHEN judged.share < 75 AND judged.warn75_at > %(now)s THEN judged.warn75_at
                          WHEN judged.share < 90 AND judged.warn90_at > %(now)s THEN judged.warn90_at
                          ELSE judged.due_at END,
           state = CASE WHEN clock.state = 'late' OR judged.kind = 'warned' OR judged.due_at > %(now)s THEN clock.state
                        WHEN judged.kind = 'breached' THEN 'overdue'
                        ELSE 'data_incomplete' END,
           warned = CASE judged.kind WHEN 'warned' THEN judged.share ELSE clock.warned END,
           breached_at = CASE judged.kind WHEN 'breached' THEN %(now)s ELSE clock.breached_at END
      FROM judged
     WHERE clock.id = judged.id
), broken AS (
    INSERT INTO sla_slabreach
           (clock_id, issue_id, integration_id, target_type, severity, due_at, found_at, retraction_reason,
            outcome)
    SELECT id, issue_id, integration_id, target_type, severity, due_at, %(now)s, '', ''
      FROM judged WHERE kind = 'breached'
        ON CONFLICT (clock_id, due_at) WHERE retracted_at IS NULL DO NOTHING
), told AS (
    INSERT INTO sla_alert
           (key, kind, clock_id, integration_id, share, due_at, created_at, not_before)
    SELECT concat(id, ':', kind, ':', share, ':', floor(extract(epoch FROM due_at))::bigint,
                  CASE kind WHEN 'breached' THEN (
                      SELECT ':' || (count(*) + 1) FROM sla_slabreach breach
                       WHERE breach.clock_id = judged.id AND breach.due_at = judged.due_at
                         AND breach.retracted_at IS NOT NULL
                      HAVING count(*) > 0) END),
           kind, id, integration_id, share, due_at, %(now)s, %(now)s
      FROM judged WHERE kind = 'breached' OR (kind = 'warned' AND share > warned)
        ON CONFLICT (key) DO NOTHING
), asked AS (
    UPDATE sla_monitoredrepository repository SET poll_at = %(now)s
     WHERE repository.id IN (SELECT monitored_repository_id FROM judged WHERE kind = 'data_incomplete')
       AND repository.poll_at > %(now)s
)
SELECT count(*), count(*) FILTER (WHERE kind = 'breached'), count(*) FILTER (WHERE kind = 'data_incomplete') FROM judged
