import { readKeyName } from "../../accounts/key-name.ts";
import { choiceOf, fieldOf } from "../../http/form-field.ts";
import { fill } from "../../i18n/index.ts";
import { readApp } from "../../linking/app-form.tsx";
import { parseConnectionId } from "../../music/connection-reads.ts";
import { labelOf, musicOf } from "../../sources/connected-music.ts";
import { isPushed } from "../../sources/source.ts";
import type { DashboardRequest } from "../request.ts";
import { cardId, nameMistake } from "./names.ts";
import { type ActionResult, done, GONE, isMade, type MusicDeps } from "./view.ts";

/** An action of the page's forms. */
export type Action = (
  deps: MusicDeps,
  request: DashboardRequest,
  form: FormData,
) => Promise<ActionResult>;

/** The user's connections, and the one that a form is about, unless it was ended since. */
async function targetOf(
  { accounts, sources }: MusicDeps,
  { user }: DashboardRequest,
  form: FormData,
) {
  const id = parseConnectionId(fieldOf(form, "target"));
  const music = await musicOf(user.id, accounts, sources);
  return { music, found: music.find(({ connection }) => connection.publicId === id) };
}

export const rename: Action = async (deps, request, form) => {
  const { words, user } = request;
  const { music, found } = await targetOf(deps, request, form);
  if (!found) return GONE;
  const { publicId } = found.connection;
  const formId = `name-${publicId}`;
  const typed = fieldOf(form, formId);
  // A connection may have no name.
  const name = typed === "" ? "" : readKeyName(typed);
  const others = music.filter((one) => one !== found);
  const mistake = nameMistake(words, found.source, name, others);
  if (mistake !== undefined) {
    return { kind: "refused", refused: { formId, typed: { name: typed }, mistake, field: "name" } };
  }
  const renamed = await isMade(deps.accounts.connections.rename(user, publicId, name ?? ""));
  return renamed ? done(words.dashboard.music.renamed) : GONE;
};

/** Replaces the secret of a connection that receives messages. */
export const rotate: Action = async (deps, request, form) => {
  const { found } = await targetOf(deps, request, form);
  if (!found || !isPushed(found.source)) return GONE;
  await deps.accounts.connections.rotateSecret(found.connection.id);
  const { rotated } = request.words.dashboard.music.inbox;
  return done(fill(rotated, { source: labelOf(found) }));
};

/** Moves a connection up, down, or to the place that the form names. */
export const move: Action = async (deps, request, form) => {
  const { music, found } = await targetOf(deps, request, form);
  if (!found) return GONE;
  const from = music.indexOf(found);
  const by = choiceOf(form, "do", { up: -1, down: 1 });
  const place = Number.parseInt(fieldOf(form, "position"), 10);
  const asked = by === undefined ? (place || from + 1) - 1 : from + by;
  const others = music.filter((one) => one !== found);
  const to = Math.min(Math.max(asked, 0), others.length);
  const order = others.toSpliced(to, 0, found).map(({ connection }) => connection.publicId);
  if (!(await isMade(deps.accounts.connections.order(request.user, order)))) return GONE;
  const names = { source: labelOf(found), position: String(to + 1) };
  const text = fill(request.words.dashboard.music.moved, names);
  // Whoever moves it further finds it there.
  const anchor = cardId(found.connection);
  return { kind: "done", notice: { tone: "good", text, anchor } };
};

/** Ends a connection, unless that was done on another page since. */
export const disconnect: Action = async ({ accounts }, { user, words }, form) => {
  const id = parseConnectionId(fieldOf(form, "target"));
  if (id === undefined) return GONE;
  await isMade(accounts.connections.disconnect(user, id));
  return done(words.dashboard.music.disconnected);
};

/** Stores the app of a source, which its owner entered. */
export const enterApp: Action = async ({ accounts, sources }, { user, words }, form) => {
  const source = sources.byId(fieldOf(form, "target"));
  if (user.role !== "owner" || source?.oauth?.appIsFixed !== false) return GONE;
  const { app, ...entered } = readApp(form);
  if (!app) return { kind: "app", entered };
  await accounts.upstreams.enterApp(source.id, app);
  return done(words.dashboard.music.appSaved);
};
