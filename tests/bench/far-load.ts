import { credentialsIn, STREAMERS } from "./far-users.ts";
import { applySteadyLoad, type SteadyLoad } from "./steady-load.ts";

/**
 * Clients, in a process of their own: `songs` are pushed to each inbox in turn, `calls` ask now-playing with
 * one key after the other, each every five seconds. Prints a {@link SteadyResult} as JSON.
 */
const [what, folder = "", port, pid, perSecond] = process.argv.slice(2);
const { inboxes, keys } = credentialsIn(folder);

const load = {
  server: { port: Number(port), pid: Number(pid) },
  perSecond: Number(perSecond),
};
/** A pause between two calls with a key, as the limit wants it. */
const ASKED_EVERY_SECONDS = 5;
const asked = load.perSecond * ASKED_EVERY_SECONDS;
if (what === "calls" && asked > keys.length) throw new Error(`there are ${keys.length} keys`);

const calls: SteadyLoad = {
  ...load,
  // A key is looked up when it first calls. What is late then makes the next calls too early.
  warmUpSeconds: 3 * ASKED_EVERY_SECONDS,
  // The server stores so often which keys were used.
  measuredSeconds: 30,
  request: (index) =>
    `GET /api/v1/now-playing HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${keys[index % asked]}\r\n\r\n`,
};
const songs: SteadyLoad = {
  ...load,
  // Each inbox once.
  warmUpSeconds: STREAMERS / load.perSecond,
  measuredSeconds: 10,
  request(index) {
    const title = `Song ${index}`;
    const body = JSON.stringify({ title, artist: "Juniper Vale", duration_ms: 600_000 });
    return `POST ${inboxes[index % STREAMERS]} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  },
};
console.log(JSON.stringify(await applySteadyLoad(what === "songs" ? songs : calls)));
process.exit(0);
