import nodeCrypto from "node:crypto";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { createAccounts } from "../../src/accounts/accounts.ts";
import { MOST_CONNECTIONS } from "../../src/music/connections.ts";
import { createInboxSecret, parseInboxSecret } from "../../src/accounts/credential.ts";
import { newSecretKey } from "../../src/vault/secret-key-files.ts";
import { createVault } from "../../src/vault/vault.ts";
import type { User } from "../../src/accounts/users.ts";
import { redact } from "../../src/log.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { TEST_KEY } from "../fixtures/servers/test-server.ts";
import * as tables from "../../src/db/schema.ts";

let world: TestAccounts;
let ada: User;
let grace: User;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = (await world.add("ada")).user;
  grace = (await world.add("grace")).user;
});
afterEach(() => world.store.close());

const connections = () => world.accounts.connections;

describe("the secret of a connection", () => {
  const inbox = async () => {
    const { id } = await connections().connect(ada, "json", null);
    return { id, secret: await connections().secretOf(id) };
  };

  test("is made once, well formed, and stored hashed and sealed", async () => {
    const { id, secret } = await inbox();
    expect(secret).toMatch(/^mqi_[0-9A-Za-z]{38}$/);
    expect(parseInboxSecret(secret)).toBe(secret);
    expect(parseInboxSecret(`${secret.slice(0, -1)}~`)).toBe(undefined);
    expect(parseInboxSecret(secret.replace("mqi_", "mq_"))).toBe(undefined);
    expect(await connections().secretOf(id)).toBe(secret);
    const { queries } = world.store;
    const [row] = await queries.select().from(tables.connections);
    const stored = JSON.stringify(row, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    expect(stored).not.toContain(secret.slice(4));
    expect(redact(`to ${secret}`)).toBe("to [redacted]");
  });

  test("is the same for two that ask at once", async () => {
    const { id } = await connections().connect(ada, "json", null);
    const [one, other] = await Promise.all([
      connections().secretOf(id),
      connections().secretOf(id),
    ]);
    expect(one).toBe(other);
  });

  test("leads to its connection alone, also when that was asked before", async () => {
    const { id, secret } = await inbox();
    const other = await connections().connect(grace, "json", null);
    await connections().secretOf(other.id);
    const belongs = { connectionId: id, userId: ada.id, source: "json" };
    expect(connections().inboxOf(secret)).toEqual(belongs);
    expect(connections().inboxOf(secret)).toEqual(belongs);
    expect(connections().inboxOf(createInboxSecret())).toBe(undefined);
    expect(connections().inboxOf("mqi_nonsense")).toBe(undefined);
  });

  test("is found by the user's name and the source, for programs that send only a digest", async () => {
    const { secret } = await inbox();
    const other = await connections().connect(ada, "json", null, "Second");
    await connections().connect(ada, "tuna", null);
    const secrets = [secret, await connections().secretOf(other.id)];
    expect(connections().inboxSecretsOf("ada", "json")).toEqual(secrets);
    expect(connections().inboxSecretsOf("grace", "json")).toEqual([]);
    expect(connections().inboxSecretsOf("nobody", "json")).toEqual([]);
  });

  test("is opened as often for any user name, and made for none", async () => {
    await inbox();
    const unseen = await connections().connect(ada, "json", null, "Second");
    connections().inboxSecretsOf("nobody", "json");
    const decrypt = spyOn(nodeCrypto, "createDecipheriv");
    try {
      const opened = [];
      for (const name of ["ada", "grace", "nobody", "x".repeat(60_000)]) {
        connections().inboxSecretsOf(name, "json");
        opened.push(decrypt.mock.calls.length);
        decrypt.mockClear();
      }
      expect(opened).toEqual(opened.map(() => MOST_CONNECTIONS));
    } finally {
      decrypt.mockRestore();
    }
    const { queries } = world.store;
    const rows = await queries.select().from(tables.connections);
    expect(rows.find(({ id }) => id === unseen.id)?.sealedSecret).toBe(null);
  });

  test("is not needed where the owner's own programs are known by their port", async () => {
    const { ownersInboxOf } = connections();
    await connections().connect(grace, "webnowplaying", null);
    expect(ownersInboxOf("webnowplaying")).toBe(undefined);
    const { id } = await connections().connect(ada, "webnowplaying", null);
    await connections().connect(ada, "webnowplaying", null, "Second");
    const own = { connectionId: id, userId: ada.id, source: "webnowplaying" };
    expect(ownersInboxOf("webnowplaying")).toEqual(own);
    await world.accounts.users.remove("ada");
    expect(ownersInboxOf("webnowplaying")).toMatchObject({ userId: grace.id });
  });

  test("is found in memory once it was looked up, until the user's connections change", async () => {
    const { secret } = await inbox();
    const found = connections().inboxOf(secret);
    expect(connections().inboxOf(secret)).toBe(found);
    await connections().connect(grace, "mpd", {});
    expect(connections().inboxOf(secret)).toBe(found);
    await connections().connect(ada, "mpd", {});
    expect(connections().inboxOf(secret)).not.toBe(found);
    expect(connections().inboxOf(secret)).toEqual(found);
  });

  test("stops working at once when it is replaced", async () => {
    const { id, secret } = await inbox();
    connections().inboxOf(secret);
    const next = await connections().rotateSecret(id);
    expect(next).not.toBe(secret);
    expect(await connections().secretOf(id)).toBe(next);
    expect(connections().inboxOf(secret)).toBe(undefined);
    expect(connections().inboxOf(next)).toMatchObject({ connectionId: id });
  });

  test("makes a session that is known after a restart with the same key, until it is replaced", async () => {
    const { id, secret } = await inbox();
    await connections().secretOf((await connections().connect(grace, "json", null)).id);
    const session = connections().sessionOf(secret);
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    expect(connections().sessionOf(secret)).toBe(session);
    const { store } = world;
    const startedWith = (key: string) =>
      createAccounts({ store, vault: createVault(key), wallMs: () => 0 }).connections;
    const other = startedWith(TEST_KEY);
    const belongs = { connectionId: id, userId: ada.id, source: "json" };
    expect(other.inboxOfSession(session)).toEqual(belongs);
    expect(connections().inboxOfSession(session)).toEqual(belongs);
    expect(startedWith(newSecretKey()).inboxOfSession(session)).toBe(undefined);
    const again = await connections().connect(ada, "json", { other: true });
    expect(connections().inboxOfSession(session)).toEqual({
      ...belongs,
      connectionId: again.id,
    });
    await connections().rotateSecret(again.id);
    expect(connections().inboxOfSession(session)).toBe(undefined);
  });

  test("makes a session of which no digit can be changed", async () => {
    const { secret } = await inbox();
    const session = connections().sessionOf(secret);
    for (let at = 0; at < session.length; at++) {
      const other = session[at] === "0" ? "1" : "0";
      const changed = session.slice(0, at) + other + session.slice(at + 1);
      expect(connections().inboxOfSession(changed)).toBe(undefined);
    }
    for (const nonsense of ["", "x", session.toUpperCase().slice(1), `${session}0`, secret]) {
      expect(connections().inboxOfSession(nonsense)).toBe(undefined);
    }
  });

  test("stays when the connection's settings are replaced, and ends with the connection", async () => {
    const { secret } = await inbox();
    connections().inboxOf(secret);
    const { id, publicId } = await connections().connect(ada, "json", { other: true });
    expect(await connections().secretOf(id)).toBe(secret);
    expect(connections().inboxOf(secret)).toMatchObject({ connectionId: id });
    await connections().disconnect(ada, publicId);
    expect(connections().inboxOf(secret)).toBe(undefined);
    await expect(connections().secretOf(id)).rejects.toThrow("connection.unknown");
  });
});
