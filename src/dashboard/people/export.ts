import type { Accounts } from "../../accounts/accounts.ts";
import { UNTIL_RESUMED } from "../../accounts/privacy.ts";
import type { User } from "../../accounts/users.ts";
import { isoTime } from "../../clock.ts";
import type { Sources } from "../../sources/index.ts";
import { musicOf } from "../../sources/connected-music.ts";

/** All stored data of a user except secrets, which give access but are not personal data. */
export async function exportOf(
  user: User,
  accounts: Pick<
    Accounts,
    | "keys"
    | "connections"
    | "widgets"
    | "sessions"
    | "privacy"
    | "fonts"
    | "history"
    | "hooks"
    | "chat"
  >,
  sources: Pick<Sources, "byId">,
) {
  const music = await musicOf(user.id, accounts, sources);
  const { pausedUntil, hiddenTitles, hiddenArtists, titles, searchesCovers, replacesCoversOf } =
    accounts.privacy.of(user.id);
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
      display_name: account.displayName,
      product: account.product,
      linked_until: isoTime(status.linkedUntil),
    })),
    widgets: (await accounts.widgets.allOf(user)).map((widget) => ({
      id: widget.id,
      name: widget.name,
      kind: widget.kind,
      language: widget.language,
      options: widget.options,
      css: widget.css,
      size: widget.size && [widget.size.width, widget.size.height],
      updated_at: isoTime(widget.updatedAt),
    })),
    privacy: {
      paused_until: pausedUntil === UNTIL_RESUMED ? "until resumed" : isoTime(pausedUntil),
      hidden_titles: hiddenTitles,
      hidden_artists: hiddenArtists,
    },
    titles: { cleaned: titles.isOn, phrases: titles.phrases },
    covers: {
      looked_for_elsewhere: searchesCovers,
      replaced: music
        .filter(({ connection }) => replacesCoversOf.has(connection.id))
        .map(({ connection }) => connection.publicId),
    },
    history: {
      kept_for: accounts.history.of(user.id).keeps,
      overlays_tell_of_streams: accounts.history.of(user.id).followsStreams,
      stream_started_at: isoTime(accounts.history.streamOf(user.id)?.startedAt ?? null),
      stream_ended_at: isoTime(accounts.history.streamOf(user.id)?.endedAt ?? null),
      songs: (await accounts.history.songsOf(user)).map((song) => ({
        started_at: isoTime(song.startedAt),
        played_ms: song.playedMs,
        title: song.track.title,
        artists: song.artists,
        album: song.albumName,
        ...(song.given && { given_title: song.given.title, given_artists: song.given.artists }),
        source: song.source,
        track_id: song.track.id,
      })),
    },
    // An address may hold a secret of its own, so only its host.
    hooks: (await accounts.hooks.allOf(user.id)).map(({ id, url, events, action, off }) => ({
      id,
      host: new URL(url).host,
      events,
      action,
      state: off ?? "on",
    })),
    chat_accounts: (await accounts.chat.allOf(user.id)).map((account) => ({
      service: account.service,
      login: account.login,
      channel: account.channel,
      state: account.state,
      linked_at: isoTime(account.linkedAt),
      answered_at: isoTime(account.answeredAt),
    })),
    fonts: (await accounts.fonts.allOf(user)).map(({ name }) => name),
    api_keys: (await accounts.keys.list(user)).map((key) => ({
      id: key.id,
      name: key.name,
      created_at: isoTime(key.createdAt),
      last_used_at: isoTime(key.lastUsedAt),
      revoked_at: isoTime(key.revokedAt),
    })),
    sessions: (await accounts.sessions.list(user)).map((session) => ({
      browser: session.userAgent,
      created_at: isoTime(session.createdAt),
      last_seen_at: isoTime(session.lastSeenAt),
    })),
  };
}
