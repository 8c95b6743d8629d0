import { expect, test } from "bun:test";
import fc from "fast-check";
import { createPushedServer } from "../fixtures/ingest/pushed-server.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { SEED } from "../fixtures/seed.ts";
import { HOSTILE_RUNS } from "../fixtures/thorough.ts";

/** The frames that a browser sends in a second. */
const BATCH = 50;

test("hostile requests to audioscrobbler are always answered 200 in words of the protocol, end nothing when refused and tell no secret", async () => {
  const server = await createPushedServer("audioscrobbler", { logLevel: "debug" });
  const { secret } = server;
  const md5 = (text: string) => new Bun.CryptoHasher("md5").update(text).digest("hex");
  const right = () => {
    const t = String(Math.floor(server.clock.wallMs() / 1_000));
    const a = md5(md5(secret) + t);
    return { hs: "true", p: "1.2.1", c: "tst", v: "1", u: "ada", t, a };
  };
  const begin = async (query: Record<string, string>) => {
    const response = await server.get(`/audioscrobbler/?${new URLSearchParams(query)}`);
    return { status: response.status, lines: (await response.text()).split("\n") };
  };
  const session = (await begin(right())).lines[1] ?? "";
  const song = { s: session, a: "B", t: "A", b: "C", l: "60", n: "1", m: "" };
  const send = (form: Record<string, string>, name = "np") =>
    server.post(`/audioscrobbler/${name}`, new URLSearchParams(form).toString());
  await send(song);
  expect(await server.shown()).toMatchObject({ track: { name: "A" } });

  const value = fc.oneof(
    fc.constantFrom("", " ", "-1", "1e999", "NaN", "200", "\0", "\ud800", "x".repeat(5_000)),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  const changes = (names: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...names, "__proto__", ""), value, { maxKeys: 3 });
  const message = fc.record({
    kind: fc.constantFrom("np", "np", "np", "submit", "handshake", "nowhere"),
    form: changes(Object.keys(song)),
    query: changes(Object.keys(right())),
  });
  const kinds = new Set<string>();
  for (const { kind, form, query } of fc.sample(message, {
    numRuns: HOSTILE_RUNS / 4,
    seed: SEED,
  })) {
    // A program that sends slower than the limit.
    await server.clock.advance(60);
    const before = await server.shown();
    const response =
      kind === "handshake"
        ? await server.get(`/audioscrobbler/?${new URLSearchParams({ ...right(), ...query })}`)
        : await send({ ...song, ...form }, kind);
    const text = await response.text();
    const [first = ""] = text.split("\n");
    expect(response.status).toBe(200);
    expect(first).toMatch(/^(OK|BADAUTH|BADSESSION|FAILED .+)$/);
    expect(text).not.toContain(secret);
    kinds.add(first.split(" ")[0] ?? "");
    if (kind === "np" && first === "OK") continue;
    // A minute goes by between songs, so what played may have ended.
    const now = await server.shown();
    if (now) expect(now.track).toEqual(before?.track ?? now.track);
  }
  expect([...kinds].toSorted()).toEqual(["BADAUTH", "BADSESSION", "FAILED", "OK"]);
  expect(server.logged.filter((line) => line.includes(secret))).toEqual([]);
  server.close();
});

test("hostile frames to webnowplaying close nothing, cause no error and leave a browser that can go on", async () => {
  const server = await createPushedServer("webnowplaying", { logLevel: "debug" });
  const port = openPort(server);
  const address = `${port.origin.replace("http", "ws")}/in/${server.secret}/webnowplaying`;
  const socket = new WebSocket(address);
  let isClosed = false;
  socket.onclose = () => void (isClosed = true);
  await new Promise((greeted) => (socket.onmessage = greeted));
  const fields = (title: string) =>
    `0 1 ${["1", "Tab", title, "B", "C", "", "0", "1", "60", "40", ...Array(15).fill(""), "1"].join("|")}|`;
  const part = fc.oneof(
    fc.constantFrom("0", "1", "2", "4", "USE_NATIVE_APIS true", "|", "\\|", "\u0001", "1e999"),
    fc.string({ unit: "binary", maxLength: 40 }),
  );
  const frame = fc.oneof(
    { weight: 4, arbitrary: fc.array(part, { maxLength: 30 }).map((parts) => parts.join("|")) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.nat({ max: 40 }), part).map(([at, text]) =>
        fields("A")
          .split("|")
          .with(at % 25, text)
          .join("|"),
      ),
    },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 64 }) },
    { weight: 1, arbitrary: fc.constantFrom("x".repeat(70_000), "0 ".repeat(20_000)) },
  );
  const frames = fc.sample(frame, { numRuns: HOSTILE_RUNS / 4, seed: SEED });
  for (let at = 0; at < frames.length; at += BATCH) {
    // A second later, so that it is no flood.
    await server.clock.advance(1_000);
    for (const one of frames.slice(at, at + BATCH)) socket.send(one);
    // Whatever players the frames made up: this browser's own is the last one used.
    socket.send(fields(`Last ${at}`).replace(/1\|$/, "9007199254740991|"));
    await until(async () => {
      await server.clock.advance(1_000);
      return (await server.shown())?.track.name === `Last ${at}` ? true : undefined;
    });
  }
  expect(isClosed).toBe(false);
  expect(server.logged.filter((line) => / error /.test(line))).toEqual([]);
  expect(server.logged.filter((line) => line.includes(server.secret))).toEqual([]);
  socket.close();
  await port.end();
  server.close();
});
