import { readKeyName } from "../../accounts/key-name.ts";
import type { User } from "../../accounts/users.ts";
import { fieldOf } from "../../http/form-field.ts";
import { fill } from "../../i18n/index.ts";
import { MOST_CONNECTIONS, TooManyConnectionsError } from "../../music/connections.ts";
import { parseConnectionId } from "../../music/connection-reads.ts";
import { type ConnectedMusic, musicOf } from "../../sources/connected-music.ts";
import {
  isLinked,
  type OpenSource,
  type Source,
  SourceSettingsError,
  worksOn,
} from "../../sources/source.ts";
import type { DashboardRequest } from "../request.ts";
import { wordsOfMistake } from "../entered-text.ts";
import { currentValue, formOf, formOfAnother, type FormOfSource } from "./connection-form.tsx";
import { nameMistake } from "./names.ts";
import { type ActionResult, done, GONE, type MusicDeps } from "./view.ts";

/** A source of this machine itself is for its owner alone, and only for a machine that has it. */
export const mayConnect = ({ role }: Pick<User, "role">, source: Source): boolean =>
  (role === "owner" || !source.ownerOnly) && worksOn(process.platform, source);

/** Adds a connection, or changes one. */
export async function connect(
  deps: MusicDeps,
  request: DashboardRequest,
  sent: FormData,
): Promise<ActionResult> {
  const { accounts, sources } = deps;
  const { words, user } = request;
  const { music: t } = words.dashboard;
  const source = sources.byId(fieldOf(sent, "target"));
  if (!source || isLinked(source) || !mayConnect(user, source)) return GONE;
  const music = await musicOf(user.id, accounts, sources);
  const form = sentForm(source, music, sent);
  if (!form) return GONE;
  const { typed, given, name } = valuesIn(form, sent);
  const [first] = source.options;
  const refuse = (mistake: string, field = first?.name): ActionResult => ({
    kind: "refused",
    refused: { formId: form.id, typed, mistake, field },
  });
  const wrongName = form.isAnother && nameMistake(words, source, name, music);
  if (wrongName !== undefined) return refuse(wrongName, "name");
  try {
    const { settings, address } = withKeptSecrets(form, given);
    const host = address?.host.toLowerCase();
    const mayChoose = user.role === "owner" || host === undefined;
    if (!mayChoose && !deps.settings.config.playerHosts.includes(host)) {
      return refuse(fill(t.hostRefused, { host }));
    }
    await accounts.connections.connect(user, source.id, settings, name ?? "");
  } catch (error) {
    if (error instanceof TooManyConnectionsError) {
      const text = fill(words.connect.failures.tooMany, { most: String(MOST_CONNECTIONS) });
      return { kind: "done", notice: { tone: "bad", text } };
    }
    if (!(error instanceof SourceSettingsError)) throw error;
    const wrong = source.options.find((option) => option.name === error.option);
    const example = wrong?.placeholder ?? "";
    const { textMistake } = error;
    if (textMistake) return refuse(wordsOfMistake(words, textMistake), wrong?.name);
    const isShape = /[^a-z]/.test(example) && !wrong?.secret;
    const mistake = isShape ? fill(t.optionRefused, { example }) : t.settingsRefused;
    return refuse(mistake, wrong?.name);
  }
  return done(fill(form.changes ? t.saved : t.added, { source: source.name }));
}

/** The form that was sent; `undefined` when its connection was ended on another page since. */
function sentForm(
  source: Source,
  music: readonly ConnectedMusic[],
  sent: FormData,
): FormOfSource | undefined {
  const id = parseConnectionId(fieldOf(sent, "connection"));
  const changes = music.find(
    ({ connection, ...one }) =>
      one.source === source &&
      (id === undefined ? connection.name === "" : connection.publicId === id),
  );
  const isAnother = fieldOf(sent, "another") !== "";
  if (id !== undefined && (isAnother || !changes)) return undefined;
  return isAnother ? formOfAnother(source) : formOf(source, changes);
}

/** What was typed, the options of it that are not empty, and the connection's name. */
function valuesIn({ id, source, changes, isAnother }: FormOfSource, sent: FormData) {
  const options = Object.fromEntries(
    source.options.map(({ name }) => [name, fieldOf(sent, `${id}-${name}`)]),
  );
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ""));
  const typedName = fieldOf(sent, `${id}-name`);
  return {
    given,
    typed: isAnother ? { ...options, name: typedName } : options,
    name: isAnother ? readKeyName(typedName) : (changes?.connection.name ?? ""),
  };
}

/**
 * Opens the source with the given settings, and with the stored secrets where none were typed.
 * Secrets are never shown, so a form cannot send them back. They are not sent to another server,
 * even on the same host, nor in another way.
 */
function withKeptSecrets(
  { source, changes: before }: FormOfSource,
  given: Readonly<Record<string, string>>,
): OpenSource {
  if (!before?.stored.usable) return source.open(given);
  const known = before.stored.open;
  const secrets = source.options
    .filter(({ secret }) => secret)
    .map((option) => [option.name, currentValue(known.settings, option)] as const)
    .filter(([, value]) => value !== undefined);
  // Some sources cannot be opened without a secret.
  const asked = source.open({ ...Object.fromEntries(secrets), ...given });
  return Bun.deepEquals(asked.address, known.address) ? asked : source.open(given);
}
