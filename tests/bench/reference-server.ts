/** The least a server can be: what everything else is measured against. */
const [port, body = "ok"] = process.argv.slice(2);
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  fetch: () => new Response(body),
});
