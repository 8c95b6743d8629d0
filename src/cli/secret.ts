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
import type { Cli, Syntax } from "./cli.ts";
import { type Command, UsageError } from "./command.ts";

/** The options of `secret rotate`, with the keys themselves in the place of files. */
interface Keys {
  readonly oldKeyFile?: string;
  /** The key that the caller's setting gives. */
  readonly newKey?: string;
}

/** Declares `marquee secret …`. */
export function declareSecret<Target extends Syntax>({ group, carriesOut }: Cli<Target>): void {
  const secret = group("secret", "replace the key that encrypts stored secrets");
  carriesOut(
    secret("rotate", "encrypt everything with a new key, while the server runs", [
      "marquee secret rotate",
      "MARQUEE_SECRET_KEY_FILE=./new.key marquee secret rotate --old-key-file ./old.key",
    ]).option("--old-key-file <file>", "the old key, if a setting gives the new one"),
    (keys: Keys) => (keys.newKey === undefined ? rotateOwnKey(keys) : rotateToGivenKey(keys)),
    {
      readHere: ([keys], config) => [keysOf(keys as Keys, config)],
      settingsOfCaller: ["secretKey"],
      otherKeys: ([keys]) => [(keys as Keys).oldKeyFile].filter((key) => key !== undefined),
    },
  );
}

/** @throws {UsageError} for a file that holds no key */
const keysOf = ({ oldKeyFile }: Keys, { secretKey }: Config): Keys => ({
  ...(oldKeyFile !== undefined && { oldKeyFile: readOldKey(oldKeyFile) }),
  ...(secretKey !== null && { newKey: secretKey }),
});

const countOf = (resealed: number): string =>
  resealed === 1 ? "1 stored secret is" : `${resealed} stored secrets are`;

const OLD_KEY_LINES = [
  'The secrets in earlier backups can only be read with the old key: make a new backup with "marquee backup".',
  "Anyone with the old key and an old copy of the database can read what was in it: if the key has leaked, change passwords and renew links at the sources.",
];

/** For a key that is a file in the data folder: the new key is created there too. */
function rotateOwnKey({ oldKeyFile }: Keys): Command {
  if (oldKeyFile !== undefined) {
    throw new UsageError(
      "--old-key-file is for a new key that you give with MARQUEE_SECRET_KEY_FILE or MARQUEE_SECRET_KEY. If the key is in the data folder, leave the option out: Marquee makes the new key itself.",
    );
  }
  return async ({ store, vault, config, print }) => {
    if (config.secretKey !== null) throw new UsageError(GIVEN_BY_SETTING);
    const newKey = newSecretKey();
    const resealed = await rotateSecretKey({
      store,
      vault,
      newKey,
      stage: () => stageSecretKey(config.data, store, newKey),
      finish: () => finishRotation(config.data, store),
    });
    print(
      [{ rotated: true, resealed }],
      [
        `${secretKeyPath(config.data)} holds a new key, and ${countOf(resealed)} encrypted with it. Keep a copy of the key in a safe place.`,
        ...OLD_KEY_LINES,
      ],
    );
  };
}

const GIVEN_BY_SETTING =
  "The key is given by a setting, so Marquee cannot replace it itself. Give a new key with that setting, and the file that holds the old one: marquee secret rotate --old-key-file FILE";

/** For a key given by a setting, which the server has to be given too when it starts the next time. */
function rotateToGivenKey({ oldKeyFile: oldKey, newKey = "" }: Keys): Command {
  if (oldKey === undefined) throw new UsageError(GIVEN_BY_SETTING);
  if (keyIdOf(oldKey).equals(keyIdOf(newKey))) {
    throw new UsageError(
      "--old-key-file holds the same key as the setting. Give a new key with the setting: 32 random bytes in base64.",
    );
  }
  return async ({ store, vault, print }) => {
    const restart = "From its next start on, the server needs the new key by its own setting.";
    if (keyIdOf(newKey).equals(vault.keyId)) {
      return print(
        [{ rotated: false, resealed: 0 }],
        ["Everything is already encrypted with the given key. Nothing was changed.", restart],
      );
    }
    if (!keyIdOf(oldKey).equals(vault.keyId)) {
      throw new SecretError(
        "The database is encrypted under another key than the one in --old-key-file. Nothing was changed.",
      );
    }
    const resealed = await rotateSecretKey({ store, vault, newKey, stage() {}, finish() {} });
    print(
      [{ rotated: true, resealed }],
      [`${countOf(resealed)} encrypted with the new key.`, restart, ...OLD_KEY_LINES],
    );
  };
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
