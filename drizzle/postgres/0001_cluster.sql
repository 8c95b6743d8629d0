-- What several nodes that share this database know of each other. A function is one statement, so
-- a node that stops in the middle of it holds no lock. Only this server's clock counts.

CREATE TABLE nodes (
  name text PRIMARY KEY,
  beat_at timestamptz NOT NULL,
  -- How many users of each upstream it watches, as JSON.
  watched text NOT NULL
);

CREATE TABLE shards (
  shard integer PRIMARY KEY,
  node text,
  epoch bigint NOT NULL,
  until timestamptz NOT NULL
);
INSERT INTO shards SELECT shard, NULL, 0, '-infinity' FROM generate_series(0, 255) AS shard;

-- The calls to upstreams that limit all users together.
CREATE TABLE calls (
  upstream text NOT NULL,
  at timestamptz NOT NULL,
  count integer NOT NULL
);
CREATE INDEX calls_of_upstream ON calls (upstream, at);

-- When each key was last admitted by each endpoint. Lost when the server crashes.
CREATE UNLOGGED TABLE admissions (
  caller text PRIMARY KEY,
  at timestamptz NOT NULL
);

-- Covers by the last part but one of their path: a public address, or the picture itself.
CREATE TABLE pictures (
  id text PRIMARY KEY,
  url text,
  picture bytea,
  kept_at timestamptz NOT NULL
);

CREATE FUNCTION beat(me text, watches text, give integer[]) RETURNS text LANGUAGE plpgsql AS $beat$
DECLARE
  hold CONSTANT interval := '8 seconds';
  moment CONSTANT timestamptz := clock_timestamp();
  room integer;
  given integer;
  took json;
BEGIN
  INSERT INTO nodes VALUES (me, moment, watches)
    ON CONFLICT (name) DO UPDATE SET beat_at = excluded.beat_at, watched = excluded.watched;
  UPDATE shards SET node = NULL, until = '-infinity' WHERE node = me AND shard = ANY (give);
  GET DIAGNOSTICS given = ROW_COUNT;
  IF given > 0 THEN
    PERFORM pg_notify('marquee', me || ' 0 .[["free"]]');
  END IF;
  UPDATE shards SET until = moment + hold WHERE node = me AND until > moment;
  room := (SELECT ceil(256.0 / count(*)) FROM nodes WHERE beat_at > moment - hold)
    - (SELECT count(*) FROM shards WHERE node = me AND until > moment);
  IF room > 0 THEN
    WITH free AS (
      SELECT shard FROM shards WHERE until <= moment
        ORDER BY node IS NOT DISTINCT FROM me DESC, shard LIMIT room FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE shards SET node = me, epoch = epoch + 1, until = moment + hold
        FROM free WHERE shards.shard = free.shard RETURNING shards.shard, shards.epoch
    )
    SELECT json_agg(json_build_array(shard, epoch)) INTO took FROM taken;
    IF took IS NOT NULL THEN
      PERFORM pg_notify('marquee', me || ' 0 .' || json_build_array(json_build_array('took', took)));
    END IF;
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

CREATE FUNCTION leave(me text) RETURNS void LANGUAGE plpgsql AS $leave$
BEGIN
  UPDATE shards SET node = NULL, until = '-infinity' WHERE node = me;
  DELETE FROM nodes WHERE name = me;
  PERFORM pg_notify('marquee', me || ' 0 .[["free"]]');
END $leave$;

-- How many calls of each kind may be made, counted at once, and in how many milliseconds there is
-- room again. A call of a kind is made only while fewer than its limit were made in the window.
CREATE FUNCTION take_calls(of text, window_ms integer, limits integer[], wants integer[])
RETURNS integer[] LANGUAGE plpgsql AS $take$
DECLARE
  span CONSTANT interval := window_ms * interval '1 millisecond';
  moment timestamptz;
  used integer;
  before integer;
  taken integer;
  granted integer[] := '{}';
  room_at timestamptz;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(4747003, hashtext(of));
  moment := clock_timestamp();
  DELETE FROM calls WHERE upstream = of AND at <= moment - span;
  SELECT coalesce(sum(count), 0), min(at) INTO used, room_at FROM calls WHERE upstream = of;
  before := used;
  FOR kind IN 1 .. array_length(limits, 1) LOOP
    taken := greatest(0, least(wants[kind], limits[kind] - used));
    used := used + taken;
    granted := granted || taken;
  END LOOP;
  IF used > before THEN
    INSERT INTO calls VALUES (of, moment, used - before);
  END IF;
  RETURN granted || ceil(extract(epoch FROM coalesce(room_at, moment) + span - moment) * 1000)::integer;
END $take$;

-- How long each caller still has to wait, in milliseconds; 0 for those that are admitted by this.
CREATE FUNCTION admit(callers text[], every_ms integer) RETURNS integer[]
LANGUAGE plpgsql AS $admit$
DECLARE
  every CONSTANT interval := every_ms * interval '1 millisecond';
  moment CONSTANT timestamptz := clock_timestamp();
  admitted text[];
BEGIN
  -- In one order, so that two nodes never wait for each other.
  WITH asked AS (SELECT DISTINCT caller FROM unnest(callers) AS caller ORDER BY caller),
  counted AS (
    INSERT INTO admissions SELECT caller, moment FROM asked
      ON CONFLICT (caller) DO UPDATE SET at = excluded.at WHERE admissions.at <= excluded.at - every
      RETURNING caller
  )
  SELECT coalesce(array_agg(caller), '{}') INTO admitted FROM counted;
  RETURN (
    SELECT array_agg(
      CASE WHEN asked.caller = ANY (admitted) THEN 0
      ELSE greatest(1, least(every_ms, ceil(extract(epoch FROM known.at + every - clock_timestamp()) * 1000)))::integer END
      ORDER BY asked.place
    )
    FROM unnest(callers) WITH ORDINALITY AS asked (caller, place)
    LEFT JOIN admissions AS known ON known.caller = asked.caller
  );
END $admit$;
