import { readFileSync } from "node:fs";
import { action, type Input, type OwnersCall, type Texts, good } from "../actions/action.ts";
import { type Config, settings } from "../config.ts";
import { fill } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import { finishRotation, newSecretKey, secretKeyPath, stageSecretKey } from "./secret-key-files.ts";
import { rotateSecretKey } from "./secret-key-rotation.ts";
import { keyIdOf } from "./vault.ts";

const key = {
  fallback: null,
  allowed: settings.secretKey.allowed,
  secret: true,
  parse: (text: string) => settings.secretKey.parse(text) ?? undefined,
} as const satisfies Input<string | null>;

const misuse = { field: "oldKeyFile", isMisuse: true };

/** Puts the keys themselves in the place of the file, and of the caller's setting. */
function readKeys({ oldKeyFile: file }: Texts, { secretKey }: Config): Texts {
  return {
    ...(typeof file === "string" && { oldKeyFile: readOldKey(file) }),
    ...(secretKey !== null && { newKey: secretKey }),
  };
}

/** @throws {Refused} for a file that holds no key */
function readOldKey(file: string): string {
  try {
    const oldKey = settings.secretKey.parse(readFileSync(file, "utf8").trim());
    if (oldKey) return oldKey;
  } catch {
    // It is refused as one without a key is.
  }
  throw new Refused("secret.file", { file: `--old-key-file ${JSON.stringify(file)}` }, misuse);
}

/** What was done, and the file of the new key where it is one of the data folder. */
interface Replaced {
  readonly rotated: boolean;
  readonly resealed: number;
  readonly keyFile?: string;
}

/** For a key that is a file in the data folder: the new key is created there too. */
async function replaceOwnKey({ store, vault, config }: OwnersCall): Promise<Replaced> {
  const newKey = newSecretKey();
  const resealed = await rotateSecretKey({
    store,
    vault,
    newKey,
    stage: () => stageSecretKey(config.data, store, newKey),
    finish: () => finishRotation(config.data, store),
  });
  return { rotated: true, resealed, keyFile: secretKeyPath(config.data) };
}

/** For a key given by a setting, which the server has to be given too when it starts the next time. */
async function replaceGivenKey(
  { store, vault }: OwnersCall,
  oldKey: string,
  newKey: string,
): Promise<Replaced> {
  if (keyIdOf(oldKey).equals(keyIdOf(newKey))) throw new Refused("secret.same", {}, misuse);
  if (keyIdOf(newKey).equals(vault.keyId)) return { rotated: false, resealed: 0 };
  if (!keyIdOf(oldKey).equals(vault.keyId)) throw new Refused("secret.other");
  const resealed = await rotateSecretKey({ store, vault, newKey, stage() {}, finish() {} });
  return { rotated: true, resealed };
}

const OLD_KEY_LINES = [
  'The secrets in earlier backups can only be read with the old key: make a new backup with "marquee backup".',
  "Anyone with the old key and an old copy of the database can read what was in it: if the key has leaked, change passwords and renew links at the sources.",
];
const RESTART = "From its next start on, the server needs the new key by its own setting.";

function linesOf({ rotated, resealed, keyFile }: Replaced): readonly string[] {
  const count = resealed === 1 ? "1 stored secret is" : `${resealed} stored secrets are`;
  if (!rotated) {
    return ["Everything is already encrypted with the given key. Nothing was changed.", RESTART];
  }
  if (keyFile === undefined) {
    return [`${count} encrypted with the new key.`, RESTART, ...OLD_KEY_LINES];
  }
  return [
    `${keyFile} holds a new key, and ${count} encrypted with it. Keep a copy of the key in a safe place.`,
    ...OLD_KEY_LINES,
  ];
}

export const replaceSecretKey = action({
  name: "secret rotate",
  help: "encrypt everything with a new key, while the server runs",
  who: "owner",
  inputs: {
    oldKeyFile: {
      ...key,
      as: "option",
      help: "the old key, if a setting gives the new one",
      placeholder: "file",
    },
    newKey: { ...key, as: "hidden" },
  },
  command: {
    examples: [
      "marquee secret rotate",
      "MARQUEE_SECRET_KEY_FILE=./new.key marquee secret rotate --old-key-file ./old.key",
    ],
    settingsOfCaller: ["secretKey"],
    readHere: readKeys,
    otherKeys: ({ oldKeyFile }) => (typeof oldKeyFile === "string" ? [oldKeyFile] : []),
  },
  run(call, { oldKeyFile: oldKey, newKey }) {
    if (newKey !== null && oldKey !== null) return replaceGivenKey(call, oldKey, newKey);
    if (oldKey !== null) throw new Refused("secret.own", {}, misuse);
    if (newKey !== null || call.config.secretKey !== null) {
      throw new Refused("secret.setting", {}, misuse);
    }
    return replaceOwnKey(call);
  },
  documents: ({ rotated, resealed }) => [{ rotated, resealed }],
  notice: ({ dashboard: { server: t } }, { resealed }) =>
    good(fill(t.keyReplaced, { count: String(resealed) })),
  lines: linesOf,
});
