import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { AddedUser } from "../src/accounts/accounts.ts";
import { settle } from "./fixtures/clock/fake-clock.ts";
import { createTestServer, type TestServer } from "./fixtures/servers/test-server.ts";

describe("a changed connection", () => {
  let server: TestServer;
  let ada: AddedUser;

  beforeEach(async () => {
    server = await createTestServer({ realSources: true });
    ada = await server.addUser("ada", false);
  });
  afterEach(() => server.close());

  const received = async () => (await server.hub.read(ada.user.id, 0)).kind;
  const connect = () => server.accounts.connections.connect(ada.user, "demo", null);

  test("is followed by a channel that is listened to", async () => {
    expect(await received()).toBe("unlinked");
    await connect();
    await settle();
    expect(await received()).toBe("playback");
  });

  test("is followed later if it could not be", async () => {
    await received();
    const { connections } = server.accounts;
    const failing = spyOn(connections, "allOf").mockImplementation(() => {
      throw new Error("a full disk");
    });
    await connect();
    expect(await received()).toBe("unlinked");
    failing.mockRestore();
    await server.clock.advance(1_000);
    expect(await received()).toBe("playback");
  });
});
