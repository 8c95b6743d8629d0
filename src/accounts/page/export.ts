import type { Accounts } from "../accounts.ts";
import { privacyDocument } from "../privacy-actions.ts";
import type { User } from "../users.ts";
import { isoTime } from "../../clock.ts";
import type { Sources } from "../../sources/index.ts";
import type { KeptSong } from "../../music/kept-song.ts";
import { musicOf } from "../../sources/connected-music.ts";

/**
 * A JSON document of all stored data of a user except secrets, which give access but are not
 * personal data. It comes in parts, because a history may be far larger than what one user may
 * take of the memory.
 * @param letOthersIn awaited between parts
 */
export async function* exportOf(
  user: User,
  accounts: Accounts,
  sources: Pick<Sources, "byId">,
  letOthersIn: () => Promise<void>,
): AsyncGenerator<string, void> {
  const document = JSON.stringify(allButSongsOf(user, accounts, sources), null, 2);
  // In a JSON string a quotation mark follows a backslash, so only the empty list matches.
  const [before, after] = document.split(`"songs": []`);
  yield `${before}"songs": [`;
  yield* songsOf(user, accounts.history, letOthersIn);
  yield `]${after}\n`;
}

const SONGS_A_PART = 100;

/** The songs as JSON, one a line, the newest first. Others are answered between the parts. */
async function* songsOf(
  user: User,
  history: Accounts["history"],
  letOthersIn: () => Promise<void>,
): AsyncGenerator<string, void> {
  let until = Infinity;
  for (;;) {
    const songs = history.songsOf(user, { until, most: SONGS_A_PART });
    const lines = songs.map((song) => `\n${JSON.stringify(exportedSong(song))}`);
    if (lines.length > 0) yield `${until === Infinity ? "" : ","}${lines.join(",")}`;
    const last = songs.at(-1);
    if (songs.length < SONGS_A_PART || !last) return;
    until = last.startedAt - 1;
    await letOthersIn();
  }
}

const exportedSong = (song: KeptSong) => ({
  started_at: isoTime(song.startedAt),
  played_ms: song.playedMs,
  title: song.track.title,
  artists: song.artists,
  album: song.albumName,
  ...(song.given && { given_title: song.given.title, given_artists: song.given.artists }),
  source: song.source,
  track_id: song.track.id,
});

function allButSongsOf(user: User, accounts: Accounts, sources: Pick<Sources, "byId">) {
  const music = musicOf(user.id, accounts, sources);
  const rules = accounts.privacy.of(user.id);
  const stream = accounts.history.streamOf(user.id);
  const { keeps, followsStreams } = accounts.history.of(user.id);
  return {
    username: user.name,
    role: user.role,
    created_at: isoTime(user.createdAt),
    language: user.language,
    music: music.map(({ connection, position, source, account, status }) => ({
      id: connection.publicId,
      source: source.id,
      name: connection.name,
      position,
      display_name: account.displayName ?? null,
      product: account.product ?? null,
      linked_until: isoTime(status.linkedUntil),
    })),
    widgets: accounts.widgets.allOf(user).map((widget) => ({
      id: widget.id,
      name: widget.name,
      kind: widget.kind,
      language: widget.language,
      options: widget.options,
      css: widget.css,
      size: widget.size && [widget.size.width, widget.size.height],
      updated_at: isoTime(widget.updatedAt),
    })),
    privacy: privacyDocument(rules),
    titles: { cleaned: rules.titles.isOn, phrases: rules.titles.phrases },
    covers: {
      looked_for_elsewhere: rules.searchesCovers,
      replaced: music
        .filter(({ connection }) => rules.replacesCoversOf.has(connection.id))
        .map(({ connection }) => connection.publicId),
    },
    history: {
      kept_for: keeps,
      overlays_tell_of_streams: followsStreams,
      stream_started_at: isoTime(stream?.startedAt ?? null),
      stream_ended_at: isoTime(stream?.endedAt ?? null),
      songs: [],
    },
    // An address may hold a secret of its own, so only its host.
    hooks: accounts.hooks.allOf(user.id).map((hook) => ({
      id: hook.id,
      state: hook.off ?? "on",
      ...(hook.off !== "damaged" && {
        host: new URL(hook.url).host,
        events: hook.events,
        action: hook.action,
      }),
    })),
    chat_accounts: accounts.chat.allOf(user.id).map((account) => ({
      service: account.service,
      login: account.login,
      channel: account.channel,
      state: account.state,
      linked_at: isoTime(account.linkedAt),
      answered_at: isoTime(account.answeredAt),
    })),
    fonts: accounts.fonts.allOf(user).map(({ name }) => name),
    has_stand_in_cover: accounts.standInCovers.idOf(user.id) !== undefined,
    api_keys: accounts.keys.list(user).map((key) => ({
      id: key.id,
      name: key.name,
      created_at: isoTime(key.createdAt),
      last_used_at: isoTime(key.lastUsedAt),
      revoked_at: isoTime(key.revokedAt),
    })),
    sessions: accounts.sessions.list(user).map((session) => ({
      browser: session.userAgent,
      created_at: isoTime(session.createdAt),
      last_seen_at: isoTime(session.lastSeenAt),
    })),
  };
}
