/** A minimal server, the reference for all measurements. */
const [port, body = "ok"] = process.argv.slice(2);
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  fetch: () => new Response(body),
});
