import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createAccounts } from "../../src/accounts/accounts.ts";
import type { InboxSecret } from "../../src/accounts/credential.ts";
import {
  finishRotation,
  newSecretKey,
  nextSecretKeyPath,
  readSecretKey,
  secretKeyPath,
  stageSecretKey,
} from "../../src/vault/secret-key-files.ts";
import { type RotationStep, rotateSecretKey } from "../../src/vault/secret-key-rotation.ts";
import { createVault, keyIdOf, SecretError } from "../../src/vault/vault.ts";
import { openFolder, workspaceOf } from "../../src/control/data-folder.ts";
import { resolveConfig } from "../../src/config.ts";
import { openStore } from "../../src/db/open.ts";
import { connections } from "../../src/db/schema.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { exitOf } from "../fixtures/clock/waiting.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const APP = { clientId: "0123456789abcdef", clientSecret: "swordfish-of-the-app" };
const settingsOf = (name: string) => ({ address: "127.0.0.1:6600", password: `secret of ${name}` });

let folder: ReturnType<typeof createDataFolder>;
const opened: { close(): unknown }[] = [];

beforeEach(() => {
  folder = createDataFolder();
});
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  folder.remove();
});

type Program = ReturnType<typeof openProgram>;

/** A program that has opened the data folder with the key that it found there. */
function openProgram() {
  const { config } = resolveConfig({ data: folder.path }, {});
  const workspace = workspaceOf(config, openFolder(config));
  opened.push(workspace.store);
  return workspace;
}

/** Rotates as the command does. */
function rotate(
  { store, vault }: Pick<Program, "store" | "vault">,
  afterStep?: (step: RotationStep) => void,
): Promise<number> {
  const newKey = newSecretKey();
  return rotateSecretKey({
    store,
    vault,
    newKey,
    stage: () => stageSecretKey(folder.path, store, newKey),
    finish: () => finishRotation(folder.path, store),
    ...(afterStep && { afterStep }),
  });
}

/** Everything sealed in the folder, opened by a program that starts now with `secret.key` alone. */
async function readAnew(): Promise<unknown> {
  for (const store of opened.splice(0)) store.close();
  const { store, accounts } = openProgram();
  expect(existsSync(nextSecretKeyPath(folder.path)) && keyOnDisk("secret.key.new")).not.toEqual(
    Buffer.from(store.sealed.keyId() ?? []),
  );
  expect(keyOnDisk("secret.key")).toEqual(Buffer.from(store.sealed.keyId() ?? []));
  const users = accounts.users.list();
  return {
    app: accounts.upstreams.appOf("spotify"),
    users: await Promise.all(
      users.map(async (user) => ({
        name: user.name,
        token: await accounts.widgets.overlayTokenOf(user),
        settings: (await onlyConnection(accounts.connections, user.id))?.settings,
      })),
    ),
  };
}

const keyOnDisk = (file: string): Buffer => keyIdOf(readSecretKey(join(folder.path, file)) ?? "");

async function populate({ accounts }: Program, names: readonly string[]) {
  for (const name of names) {
    await accounts.add([name], { source: "mpd", settings: settingsOf(name) });
  }
  await accounts.upstreams.enterApp("spotify", APP);
}

describe("a rotation", () => {
  test("keeps everything as it was, under a key of its own, whatever there is", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/), { maxLength: 12 }),
        fc.array(fc.json(), { maxLength: 12 }),
        async (names, settings) => {
          const store = openStore(":memory:");
          const [oldKey, newKey] = [newSecretKey(), newSecretKey()];
          const vault = createVault(oldKey);
          const before = createAccounts({ store, vault, wallMs: () => 1 });
          store.sealed.setKeyId(vault.keyId);
          const added = names.length > 0 ? await before.add(names) : [];
          const secrets = new Map<number, InboxSecret>();
          for (const [index, { user }] of added.entries()) {
            if (!(index in settings)) continue;
            const { id } = await before.connections.connect(user, "json", settings[index]);
            secrets.set(id, await before.connections.secretOf(id));
          }
          const count = await rotateSecretKey({ store, vault, newKey, stage() {}, finish() {} });
          const connected = Math.min(names.length, settings.length);
          expect(count).toBe(names.length + 2 * connected);
          const after = createAccounts({
            store,
            vault: createVault(newKey),
            wallMs: () => 1,
          });
          for (const [id, secret] of secrets) {
            expect(await after.connections.secretOf(id)).toBe(secret);
            expect(after.connections.inboxOf(secret)).toMatchObject({ connectionId: id });
          }
          for (const [index, { user, widgetToken }] of added.entries()) {
            expect(await after.widgets.overlayTokenOf(user)).toBe(widgetToken);
            expect((await onlyConnection(after.connections, user.id))?.settings).toEqual(
              settings[index],
            );
          }
          store.close();
        },
      ),
      { numRuns: 25 },
    ));

  test("replaces secret.key by a key that only its owner can read, and leaves no other file", async () => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const files = readdirSync(folder.path);
    const before = readSecretKey(secretKeyPath(folder.path));
    expect(await rotate(program)).toBe(3);
    expect(readSecretKey(secretKeyPath(folder.path))).not.toBe(before);
    expect(statSync(secretKeyPath(folder.path)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(files);
  });

  test("leaves nothing in the database's file that the old key opens, deleted rows included", async () => {
    const program = openProgram();
    await populate(program, ["ada", "grace"]);
    const oldMark = Buffer.concat([Buffer.of(1), Buffer.from(program.vault.keyId)]);
    await program.accounts.users.remove("grace");
    await rotate(program);
    program.store.close();
    const bytes = readFileSync(join(folder.path, "marquee.db"));
    expect(bytes.includes("ada")).toBe(true);
    expect(bytes.includes(oldMark)).toBe(false);
  });

  test("that finds something damaged says whose it is and what to do, and changes nothing", async () => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const [row] = program.store.queries.select().from(connections).all();
    const sealedSettings = Buffer.from(row?.sealedSettings ?? []);
    sealedSettings.writeUInt8(sealedSettings.readUInt8(30) ^ 1, 30);
    program.store.queries.update(connections).set({ sealedSettings }).run();
    const before = readSecretKey(secretKeyPath(folder.path));
    const rotating = rotate(program);
    await expect(rotating).rejects.toBeInstanceOf(SecretError);
    await expect(rotating).rejects.toThrow("marquee disconnect ada");
    expect(readSecretKey(secretKeyPath(folder.path))).toBe(before);
    expect(program.store.sealed.keyId()).toEqual(new Uint8Array(program.vault.keyId));
  });

  test("that finds a connection's secret damaged says how to make another, which helps", async () => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const { id = 0 } =
      (await onlyConnection(
        program.accounts.connections,
        program.accounts.users.named("ada").id,
      )) ?? {};
    await program.accounts.connections.secretOf(id);
    const sealedSecret = program.vault.seal("inbox-secret", 99, "another user's");
    program.store.queries.update(connections).set({ sealedSecret }).run();
    await expect(rotate(program)).rejects.toThrow('"marquee connection rotate ada ID"');
    await program.accounts.connections.rotateSecret(id);
    expect(await rotate(program)).toBe(4);
  });
});

describe("a rotation that is killed", () => {
  const steps: readonly { step: RotationStep; replaced: boolean }[] = [
    { step: "prepared", replaced: false },
    { step: "staged", replaced: false },
    { step: "replaced", replaced: false },
    { step: "committed", replaced: true },
    { step: "finished", replaced: true },
  ];

  test.each(steps)(
    "once it has $step leaves everything readable, and can be made again",
    async ({ step, replaced }) => {
      const program = openProgram();
      await populate(program, ["ada", "grace"]);
      const before = await readAnew();
      const oldKeyId = keyOnDisk("secret.key");
      for (const store of opened.splice(0)) store.close();

      const script = join(import.meta.dir, "../fixtures/data/rotate-and-die.ts");
      const child = Bun.spawn([process.execPath, script, folder.path, step], {
        stdout: "inherit",
        stderr: "inherit",
      });
      await exitOf(child);
      expect(child.signalCode).toBe("SIGKILL");

      expect(await readAnew()).toEqual(before);
      expect(keyOnDisk("secret.key").equals(oldKeyId)).toBe(!replaced);
      expect(await rotate(openProgram())).toBe(5);
      expect(await readAnew()).toEqual(before);
      expect(existsSync(nextSecretKeyPath(folder.path))).toBe(false);
    },
  );

  test("before it has renamed the key is no hindrance to the next one, made without reopening", async () => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const { store, vault } = program;
    const newKey = newSecretKey();
    const stage = (key: string) => () => stageSecretKey(folder.path, store, key);
    const interrupted = { store, vault, newKey, stage: stage(newKey), finish() {} };
    expect(await rotateSecretKey(interrupted)).toBe(3);
    const nextKey = newSecretKey();
    const after = rotateSecretKey({
      ...{ store, vault, newKey: nextKey, stage: stage(nextKey) },
      // The key that the first one left under its other name must not be lost before this one counts.
      finish: () => expect(keyOnDisk("secret.key")).toEqual(keyIdOf(newKey)),
    });
    expect(await after).toBe(3);
    expect(await readAnew()).toMatchObject({ users: [{ name: "ada" }] });
  });
});

describe("a program that goes on with its work while it rotates", () => {
  const writes = [
    {
      name: "adding a user",
      write: async ({ accounts }: Program) => {
        await accounts.add(["grace"], { source: "mpd", settings: settingsOf("grace") });
        return { users: [{ name: "ada" }, { name: "grace", settings: settingsOf("grace") }] };
      },
    },
    {
      name: "replacing a widget token",
      write: async ({ accounts }: Program) => {
        const token = await accounts.widgets.rotate(accounts.users.named("ada"), 1);
        return { users: [{ token }] };
      },
    },
    {
      name: "connecting",
      write: async ({ accounts }: Program) => {
        const ada = accounts.users.named("ada");
        await accounts.connections.connect(ada, "mpd", settingsOf("somebody else"));
        return { users: [{ settings: settingsOf("somebody else") }] };
      },
    },
    {
      name: "storing renewed settings",
      write: async ({ accounts }: Program) => {
        await accounts.connections.storeSettings(1, settingsOf("a renewed token"));
        return { users: [{ settings: settingsOf("a renewed token") }] };
      },
    },
    {
      name: "entering an app",
      write: async ({ accounts }: Program) => {
        const app = { clientId: "another", clientSecret: null };
        await accounts.upstreams.enterApp("spotify", app);
        return { app };
      },
    },
  ];

  test.each(writes)("loses nothing by $name, whichever begins first", async ({ write }) => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const rotated = rotate(program);
    const [written] = await Promise.all([write(program), rotated]);
    expect(await readAnew()).toMatchObject(written);
    const again = openProgram();
    const [writtenFirst] = await Promise.all([write(again).catch(() => ({})), rotate(again)]);
    expect(await readAnew()).toMatchObject(writtenFirst);
  });

  describe("where so much is sealed that others have a turn in between", () => {
    let program: Program;
    beforeEach(async () => {
      program = openProgram();
      await program.accounts.add(Array.from({ length: 120 }, (_, at) => `user-${at}`));
    });

    /** The users that a program which starts now reads, by their names. */
    const usersAnew = async () => {
      const { users } = (await readAnew()) as { users: { name: string; token: string }[] };
      return new Map(users.map((user) => [user.name, user]));
    };

    test.each(["once", "twice at the same time"])(
      "loses nothing that is written then, and rotates %s",
      async (times) => {
        const { accounts } = program;
        const steps: RotationStep[] = [];
        const rotated = [rotate(program, (step) => steps.push(step))];
        if (times !== "once") rotated.push(rotate(program));
        const token = await accounts.widgets.rotate(accounts.users.named("user-0"), 1);
        await accounts.users.remove("user-1");
        await accounts.add(["grace"], { source: "mpd", settings: settingsOf("grace") });
        expect(steps).toEqual([]);
        expect(await Promise.all(rotated)).toEqual(rotated.map(() => 121));
        const users = await usersAnew();
        expect(users.size).toBe(120);
        expect(users.get("user-0")).toMatchObject({ token });
        expect(users.get("grace")).toMatchObject({ settings: settingsOf("grace") });
      },
    );
  });

  test("rotates once more at the same time, and loses nothing", async () => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const ada = program.accounts.users.named("ada");
    const token = await program.accounts.widgets.overlayTokenOf(ada);
    await Promise.all([rotate(program), rotate(program), rotate(program)]);
    expect(await program.accounts.widgets.overlayTokenOf(ada)).toBe(token);
    expect(await readAnew()).toMatchObject({ users: [{ token }] });
  });

  test("reads what it read before, and what it had read a moment earlier", async () => {
    const program = openProgram();
    await populate(program, ["ada"]);
    const ada = program.accounts.users.named("ada");
    const token = program.accounts.widgets.tokenOf(ada, 1);
    const [earlier] = program.store.sealed.all();
    await rotate(program);
    expect(program.accounts.widgets.tokenOf(ada, 1)).toBe(token);
    const opened = program.vault.open("widget-token", ada.id, earlier?.bytes ?? Buffer.of());
    expect(opened).toBe(token);
  });

  test("keeps its forms and the names of its covers", async () => {
    const program = openProgram();
    const { vault } = program;
    const before = { forms: vault.formSecret, name: vault.opaqueName("cover") };
    await rotate(program);
    expect({ forms: vault.formSecret, name: vault.opaqueName("cover") }).toEqual(before);
  });
});
