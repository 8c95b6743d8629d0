import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createShowToken, type ShowToken } from "../../src/accounts/credential.ts";
import { type Overlay, openOverlay } from "../fixtures/http/overlay-socket.ts";
import { startTestServer, type ListeningServer } from "../fixtures/servers/listening-server.ts";
import type { DemandMessage } from "../../widget/state.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

describe("an overlay on demand", () => {
  let server: TestServer;
  let ada: AddedUser;
  let token: ShowToken;
  beforeEach(async () => {
    server = await createTestServer();
    ada = await server.addUser("ada");
    token = await server.accounts.widgets.showTokenOf(ada.user, 1);
  });
  afterEach(() => server.close());
  const call = async (path: string, init?: RequestInit) => (await server.get(path, init)).status;

  test("is asked for by GET and POST, and answered without a body", async () => {
    expect(token).toMatch(/^mqs_/);
    for (const method of ["GET", "POST"]) {
      const answer = await server.get(`/show/${token}`, { method });
      expect(answer.status).toBe(204);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(await answer.text()).toBe("");
    }
    expect(await call(`/hide/${token}`)).toBe(204);
  });

  test("is not asked for by a preview or a prefetch", async () => {
    expect(await call(`/show/${token}`, { method: "HEAD" })).toBe(405);
    expect(await call(`/show/${token}`, { headers: { "Sec-Purpose": "prefetch" } })).toBe(403);
  });

  test("refuses other methods as all paths do", async () => {
    const answer = await server.get(`/hide/${token}`, { method: "PUT" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
    expect(await answer.text()).toBe("Method not allowed\n");
  });

  test("is shown for 5 to 120 seconds", async () => {
    for (const seconds of ["5", "120"])
      expect(await call(`/show/${token}?for=${seconds}`)).toBe(204);
    await server.clock.advance(1_000);
    for (const seconds of ["4", "121", "x", ""]) {
      expect(await call(`/show/${token}?for=${seconds}`)).toBe(400);
    }
  });

  test("takes five requests a second, each overlay for itself", async () => {
    const other = await server.accounts.widgets.add(ada.user, { name: "Other", kind: "overlay" });
    const otherToken = await server.accounts.widgets.showTokenOf(ada.user, other.id);
    for (let count = 0; count < 5; count += 1) expect(await call(`/show/${token}`)).toBe(204);
    const refused = await server.get(`/show/${token}`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await call(`/show/${otherToken}`)).toBe(204);
    await server.clock.advance(1_000);
    expect(await call(`/show/${token}`)).toBe(204);
  });

  test("is unknown for another token, which counts as a guess", async () => {
    const widgetToken = await server.accounts.widgets.overlayTokenOf(ada.user);
    for (const wrong of ["x", createShowToken(), widgetToken]) {
      const unknown = await server.get(`/show/${wrong}`);
      expect(unknown.status).toBe(404);
      expect(await unknown.text()).not.toContain("widget");
    }
    for (let count = 0; count < 20; count += 1) await call(`/hide/${createShowToken()}`);
    expect(await call(`/show/${createShowToken()}`)).toBe(429);
    expect(await call(`/show/${token}`)).toBe(204);
  });

  test("opens nothing else, and is replaced alone", async () => {
    expect(await call(`/en/widget/${token}`)).toBe(404);
    const before = await server.accounts.widgets.overlayTokenOf(ada.user);
    const next = await server.accounts.widgets.rotateShowToken(ada.user, 1);
    expect(await call(`/show/${token}`)).toBe(404);
    expect(await call(`/show/${next}`)).toBe(204);
    expect(await server.accounts.widgets.overlayTokenOf(ada.user)).toBe(before);
    expect(await server.accounts.widgets.showTokenOf(ada.user, 1)).toBe(next);
  });

  test("is one, although two ask for it first at the same moment", async () => {
    const { widgets } = server.accounts;
    const { id } = await widgets.add(ada.user, { name: "Second", kind: "overlay" });
    const asked = [widgets.showTokenOf(ada.user, id), widgets.showTokenOf(ada.user, id)];
    const [one, other] = await Promise.all(asked);
    expect(other).toBe(one);
  });

  test("is only an overlay", async () => {
    const { id } = await server.accounts.widgets.add(ada.user, { name: "Line", kind: "text" });
    const refused = await server.accounts.widgets.showTokenOf(ada.user, id).catch(String);
    expect(refused).toContain("widget.noOverlay");
  });

  test("is gone with its widget", async () => {
    const { id } = await server.accounts.widgets.first(ada.user);
    await server.accounts.widgets.remove(ada.user, id);
    expect(await call(`/show/${token}`)).toBe(404);
  });
});

/** The next message about showing it. */
async function nextDemand(overlay: Overlay): Promise<DemandMessage> {
  for (;;) {
    const message = await overlay.next();
    if (message.type === "demand") return message;
  }
}

describe("overlays that are connected", () => {
  let server: ListeningServer;
  afterEach(() => server.close());

  test("are all told for how long, and one that connects later for the rest of it", async () => {
    server = await startTestServer();
    const ada = await server.addUser("ada");
    const token = await server.accounts.widgets.showTokenOf(ada.user, 1);
    const address = `${server.url}/en/widget/${ada.widgetToken}/live`;
    const overlays = await Promise.all([openOverlay(address), openOverlay(address)]);
    await server.get(`/show/${token}?for=60`);
    for (const overlay of overlays) {
      expect(await nextDemand(overlay)).toEqual({ type: "demand", forMs: 60_000 });
    }
    const late = await openOverlay(address);
    const { forMs } = await nextDemand(late);
    expect(forMs).toBeGreaterThan(0);
    expect(forMs).toBeLessThanOrEqual(60_000);
    await server.get(`/hide/${token}`);
    for (const overlay of [...overlays, late]) {
      expect(await nextDemand(overlay)).toEqual({ type: "demand", forMs: 0 });
      overlay.close();
    }
  });
});
