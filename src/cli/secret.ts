import { readFileSync } from "node:fs";
import {
  finishRotation,
  newSecretKey,
  secretKeyPath,
  stageSecretKey,
} from "../vault/secret-key-files.ts";
import { rotateSecretKey } from "../vault/secret-key-rotation.ts";
import { keyIdOf, SecretError } from "../vault/vault.ts";
import { type Config, settings } from "../config.ts";
import { type Command, print, UsageError } from "./command.ts";
import { keyInForce, withWorkspace } from "./workspace.ts";
import type { Cli } from "./cli.ts";

/** Declares `marquee secret …`. */
export function declareSecret({ group, runs }: Cli): void {
  const secret = group("secret", "replace the key that encrypts stored secrets");
  runs(
    secret("rotate", "encrypt everything with a new key, while the server runs", [
      "marquee secret rotate",
      "MARQUEE_SECRET_KEY_FILE=./new.key marquee secret rotate --old-key-file ./old.key",
    ]).option("--old-key-file <file>", "the old key, if a setting gives the new one"),
    (options: { oldKeyFile?: string }) => rotateSecret(options.oldKeyFile),
  );
}

/** `marquee secret rotate`: encrypts all stored secrets again under another key. */
function rotateSecret(oldKeyFile: string | undefined): Command {
  return async (config, asJson, io) => {
    const { secretKey } = config;
    if (secretKey !== null) {
      const resealed = await rotateToGivenKey(config, secretKey, oldKeyFile);
      const document = {
        rotated: resealed !== undefined,
        resealed: resealed ?? 0,
        restart_needed: true,
      };
      print(io, asJson, [document], givenKeyLines(resealed));
      return;
    }
    if (oldKeyFile !== undefined) {
      throw new UsageError(
        "--old-key-file is for a new key that you give with MARQUEE_SECRET_KEY_FILE or MARQUEE_SECRET_KEY. If the key is in the data folder, leave the option out: Marquee makes the new key itself.",
      );
    }
    const resealed = await rotateOwnKey(config);
    print(
      io,
      asJson,
      [{ rotated: true, resealed, restart_needed: false }],
      [
        `${secretKeyPath(config.data)} holds a new key, and ${countOf(resealed)} encrypted with it. Keep a copy of the key in a safe place.`,
        "A running server picks up the new key.",
        ...OLD_KEY_LINES,
      ],
    );
  };
}

const countOf = (resealed: number): string =>
  resealed === 1 ? "1 stored secret is" : `${resealed} stored secrets are`;

const OLD_KEY_LINES = [
  'The secrets in earlier backups can only be read with the old key: make a new backup with "marquee backup".',
  "Anyone with the old key and an old copy of the database can read what was in it: if the key has leaked, change passwords and renew links at the sources.",
];

function givenKeyLines(resealed: number | undefined): string[] {
  const restart =
    "If the server is running, restart it with the new key: until then it refuses anything it would have to encrypt.";
  return resealed === undefined
    ? ["Everything is already encrypted with the given key. Nothing was changed.", restart]
    : [
        `${countOf(resealed)} encrypted with the new key. Other commands need it from now on.`,
        restart,
        ...OLD_KEY_LINES,
      ];
}

/** For a key that is a file in the data folder: the new key is created there too. */
function rotateOwnKey(config: Config): Promise<number> {
  return withWorkspace(config, async ({ store }) => {
    const { file } = store;
    if (!file) throw new SecretError("The key of a shared database is given by a setting.");
    const newKey = newSecretKey();
    return rotateSecretKey({
      store,
      oldKey: await keyInForce(config, store),
      newKey,
      stage: () => stageSecretKey(config.data, file, newKey),
      finish: () => finishRotation(config.data, file),
    });
  });
}

/** For a key given by a setting. Returns `undefined` when the new key was already in force. */
async function rotateToGivenKey(
  config: Config,
  newKey: string,
  oldKeyFile: string | undefined,
): Promise<number | undefined> {
  if (oldKeyFile === undefined) {
    throw new UsageError(
      "The key is given by a setting, so Marquee cannot replace it itself. Give a new key with that setting, and the file that holds the old one: marquee secret rotate --old-key-file FILE",
    );
  }
  const oldKey = readOldKey(oldKeyFile);
  if (keyIdOf(oldKey).equals(keyIdOf(newKey))) {
    throw new UsageError(
      "--old-key-file holds the same key as the setting. Give a new key with the setting: 32 random bytes in base64.",
    );
  }
  try {
    return await withWorkspace({ ...config, secretKey: oldKey }, ({ store }) =>
      rotateSecretKey({ store, oldKey, newKey, stage() {}, finish() {} }),
    );
  } catch (error) {
    if (!(error instanceof SecretError && error.needsOtherKey)) throw error;
    // An earlier rotation may have finished unnoticed. Then the new key is already in force.
    await withWorkspace(config, async () => {});
    return undefined;
  }
}

/** @throws {UsageError} */
function readOldKey(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(
      `--old-key-file ${JSON.stringify(file)}: must be a file this program can read.`,
    );
  }
  const key = settings.secretKey.parse(text.trim());
  if (key) return key;
  throw new UsageError(
    `--old-key-file ${JSON.stringify(file)}: must hold ${settings.secretKey.allowed}.`,
  );
}
