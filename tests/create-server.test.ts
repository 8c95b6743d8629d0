import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { AddedUser } from "../src/accounts/accounts.ts";
import { createTestAccounts, type TestAccounts } from "./fixtures/data/accounts.ts";
import { settle } from "./fixtures/clock/fake-clock.ts";
import { createTempFolder } from "./fixtures/data/temp-folder.ts";
import { createTestServer, type TestServer } from "./fixtures/servers/test-server.ts";

describe("what a command changes on the data folder of a server", () => {
  let folder: ReturnType<typeof createTempFolder>;
  let server: TestServer;
  let command: TestAccounts;
  let ada: AddedUser;

  beforeEach(async () => {
    folder = createTempFolder();
    server = await createTestServer({ dataFolder: folder.path, realSources: true });
    command = await createTestAccounts(folder.path);
    ada = await server.addUser("ada", false);
  });
  afterEach(() => {
    server.close();
    command.store.close();
    folder.remove();
  });

  const received = async () => (await server.hub.read(ada.user.id, 0)).kind;

  test("is followed by a channel that is listened to", async () => {
    expect(await received()).toBe("unlinked");
    await command.accounts.connections.connect(ada.user, "demo", null);
    await server.accounts.checkForChanges();
    await settle();
    expect(await received()).toBe("playback");
  });

  test("is followed at the next look if it could not be", async () => {
    await received();
    await command.accounts.connections.connect(ada.user, "demo", null);
    const { connections } = server.accounts;
    const failing = spyOn(connections, "workingIdsOf").mockRejectedValue(new Error("a full disk"));
    await expect(server.accounts.checkForChanges()).rejects.toThrow("a full disk");
    failing.mockRestore();
    await server.accounts.checkForChanges();
    await settle();
    expect(await received()).toBe("playback");
  });
});
