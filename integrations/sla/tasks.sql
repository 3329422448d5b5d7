-- Process one batch of due clocks: lock, evaluate, update, and record each clock once.
-- Parameters: now, limit, recheck_at (when to check clocks with incomplete data again).
-- MATERIALIZED: take the locks once, in index order.
WITH due AS MATERIALIZED (
    SELECT clock.id, clock.issue_id, clock.monitored_repository_id, clock.integration_id, clock.target_type,
           clock.severity, clock.due_at, clock.next_at, clock.warned, clock.warn50_at, clock.warn75_at, clock.warn90_at
      FROM sla_slaclock clock
     WHERE clock.next_at <= %(now)s
     ORDER BY clock.next_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
), result AS MATERIALIZED (
    SELECT due.*,
           CASE WHEN due.due_at <= %(now)s AND repository.data_up_to < due.due_at THEN 'data_incomplete'
                WHEN due.due_at <= %(now)s THEN 'breached'
                WHEN repository.data_up_to < CASE WHEN due.warn90_at <= %(now)s THEN due.warn90_at
                                                  WHEN due.warn75_at <= %(now)s THEN due.warn75_at
                                                  ELSE due.warn50_at END THEN 'data_incomplete'
                ELSE 'warned' END AS kind,
           CASE WHEN due.due_at <= %(now)s THEN 100
                WHEN due.warn90_at <= %(now)s THEN 90
                WHEN due.warn75_at <= %(now)s THEN 75
                ELSE 50 END AS share
      FROM due JOIN sla_monitoredrepository repository ON repository.id = due.monitored_repository_id
), clock_update AS (
    UPDATE sla_slaclock clock
       SET next_at = CASE WHEN result.kind = 'data_incomplete' THEN %(recheck_at)s
                          WHEN result.kind = 'breached' THEN NULL
                          WHEN result.share < 75 AND result.warn75_at > %(now)s THEN result.warn75_at
                          WHEN result.share < 90 AND result.warn90_at > %(now)s THEN result.warn90_at
                          ELSE result.due_at END,
           state = CASE WHEN clock.state = 'late' OR result.kind = 'warned' OR result.due_at > %(now)s THEN clock.state
                        WHEN result.kind = 'breached' THEN 'overdue'
                        ELSE 'data_incomplete' END,
           warned = CASE result.kind WHEN 'warned' THEN result.share ELSE clock.warned END,
           breached_at = CASE result.kind WHEN 'breached' THEN %(now)s ELSE clock.breached_at END
      FROM result
     WHERE clock.id = result.id
), new_breach AS (
    INSERT INTO sla_slabreach
           (clock_id, issue_id, integration_id, target_type, severity, due_at, found_at, retraction_reason,
            outcome)
    SELECT id, issue_id, integration_id, target_type, severity, due_at, %(now)s, '', ''
      FROM result WHERE kind = 'breached'
        ON CONFLICT (clock_id, due_at) WHERE retracted_at IS NULL DO NOTHING
), new_alert AS (
    INSERT INTO sla_alert
           (key, kind, clock_id, integration_id, share, due_at, created_at, not_before)
    SELECT concat(id, ':', kind, ':', share, ':', floor(extract(epoch FROM due_at))::bigint,
                  CASE kind WHEN 'breached' THEN (
                      SELECT ':' || (count(*) + 1) FROM sla_slabreach breach
                       WHERE breach.clock_id = result.id AND breach.due_at = result.due_at
                         AND breach.retracted_at IS NOT NULL
                      HAVING count(*) > 0) END),
           kind, id, integration_id, share, due_at, %(now)s, %(now)s
      FROM result WHERE kind = 'breached' OR (kind = 'warned' AND share > warned)
        ON CONFLICT (key) DO NOTHING
), poll_request AS (
    UPDATE sla_monitoredrepository repository SET poll_at = %(now)s
     WHERE repository.id IN (
               SELECT waiting.id FROM sla_monitoredrepository waiting
                WHERE waiting.id IN (SELECT monitored_repository_id FROM result WHERE kind = 'data_incomplete')
                  AND waiting.poll_at > %(now)s
                  -- After a failed poll, the next one keeps its delay.
                  AND waiting.attempts = 0 AND waiting.trouble = ''
                  -- A poll locks its repository before these clocks, so waiting for it could be a deadlock.
                  FOR NO KEY UPDATE SKIP LOCKED)
)
SELECT count(*) FROM result
