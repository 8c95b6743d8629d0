-- Nodes say by themselves what they have taken and given back, in sealed messages: any role that may
-- connect could send a notice of the database's functions.
CREATE OR REPLACE FUNCTION beat(me text, watches text, give integer[]) RETURNS text LANGUAGE plpgsql AS $beat$
DECLARE
  hold CONSTANT interval := '8 seconds';
  moment CONSTANT timestamptz := clock_timestamp();
  room integer;
BEGIN
  INSERT INTO nodes VALUES (me, moment, watches)
    ON CONFLICT (name) DO UPDATE SET beat_at = excluded.beat_at, watched = excluded.watched;
  UPDATE shards SET node = NULL, until = '-infinity' WHERE node = me AND shard = ANY (give);
  UPDATE shards SET until = moment + hold WHERE node = me AND until > moment;
  room := (SELECT ceil(256.0 / count(*)) FROM nodes WHERE beat_at > moment - hold)
    - (SELECT count(*) FROM shards WHERE node = me AND until > moment);
  IF room > 0 THEN
    WITH free AS (
      SELECT shard FROM shards WHERE until <= moment
        ORDER BY node IS NOT DISTINCT FROM me DESC, shard LIMIT room FOR UPDATE SKIP LOCKED
    )
    UPDATE shards SET node = me, epoch = epoch + 1, until = moment + hold
      FROM free WHERE shards.shard = free.shard;
  END IF;
  DELETE FROM nodes WHERE beat_at < moment - interval '1 hour';
  RETURN json_build_object(
    'nodes', (
      SELECT json_agg(json_build_object('name', name, 'watched', watched::json))
        FROM nodes WHERE beat_at > moment - hold
    ),
    'held', (
      SELECT coalesce(json_agg(shard), '[]') FROM shards WHERE node = me AND until > moment
    ),
    'epochs', (SELECT json_agg(epoch ORDER BY shard) FROM shards)
  )::text;
END $beat$;

CREATE OR REPLACE FUNCTION leave(me text) RETURNS void LANGUAGE plpgsql AS $leave$
BEGIN
  UPDATE shards SET node = NULL, until = '-infinity' WHERE node = me;
  DELETE FROM nodes WHERE name = me;
END $leave$;

-- What programs have reported last for each connection, for nodes that start or were away. Lost when
-- the server crashes: then the nodes that know a report store it again.
CREATE UNLOGGED TABLE pushed (
  connection_id bigint PRIMARY KEY,
  -- Of a connection's reports the highest version counts.
  version bigint NOT NULL,
  -- To which node the program reported.
  node text NOT NULL,
  -- As JSON; null while nothing plays.
  content text,
  received_at timestamptz NOT NULL,
  -- Until when it counts; infinite while the program is connected.
  until timestamptz NOT NULL
) WITH (fillfactor = 50);
-- Its own sequence, because that of an unlogged table would begin again after a crash.
CREATE SEQUENCE pushed_versions;

-- Stores reports, and returns the versions of those that are the last ones of their connections. One
-- that waited longer than a second does not replace what another node has received since.
CREATE FUNCTION store_pushed(me text, reports json) RETURNS json LANGUAGE plpgsql AS $store$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  versions json;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- In one order, so that two nodes never wait for each other.
  WITH sent AS (
    SELECT id, content, moment - age_ms * interval '1 millisecond' AS received_at, lasts_ms
      FROM json_to_recordset(reports) AS (id bigint, content text, age_ms float8, lasts_ms float8)
      ORDER BY id
  ), stored AS (
    INSERT INTO pushed
      SELECT id, nextval('pushed_versions'), me, content, received_at,
          coalesce(received_at + lasts_ms * interval '1 millisecond', 'infinity')
        FROM sent ORDER BY id
      ON CONFLICT (connection_id) DO UPDATE
        SET version = excluded.version, node = excluded.node, content = excluded.content,
          received_at = excluded.received_at, until = excluded.until
        WHERE pushed.version < excluded.version
          AND (pushed.node = me OR excluded.received_at > moment - interval '1 second'
            OR pushed.received_at <= excluded.received_at)
      RETURNING connection_id, version
  )
  SELECT json_object_agg(connection_id, version) INTO versions FROM stored;
  RETURN coalesce(versions, '{}');
END $store$;

-- Covers by the last part but one of their path: a public address, or the picture itself.
DROP TABLE pictures;
CREATE TABLE pictures (
  id text PRIMARY KEY,
  user_id bigint NOT NULL,
  url text,
  picture bytea,
  kept_at timestamptz NOT NULL
);
CREATE INDEX pictures_of_user ON pictures (user_id, kept_at);
CREATE INDEX pictures_by_age ON pictures (kept_at);
