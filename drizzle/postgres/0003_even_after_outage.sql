-- A database that was away has silenced all nodes at once. The first one that is back waits for
-- those that lived until then: it would otherwise take all shards, and give them back in parts.
CREATE FUNCTION wait_for_former_nodes(me text) RETURNS void LANGUAGE plpgsql AS $wait$
DECLARE
  hold CONSTANT interval := '8 seconds';
  moment CONSTANT timestamptz := clock_timestamp();
  last CONSTANT timestamptz := (SELECT max(beat_at) FROM nodes);
BEGIN
  IF last <= moment - hold AND EXISTS (SELECT FROM nodes WHERE name = me) THEN
    UPDATE nodes SET beat_at = moment WHERE beat_at > last - hold;
  END IF;
END $wait$;
