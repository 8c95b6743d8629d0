import { createBoundedMap } from "../../bounded-map.ts";
import { isRecord, textOf } from "../../upstream/json.ts";
import type { ChatMessage } from "../commands.ts";

/** Much longer than any message: more of a text is not read. */
const LONGEST_READ = 2_000;
const MOST_BADGES = 50;

/** Reads an event of `channel.chat.message`, version 1; `undefined` when it is none. */
export function readChatMessage(event: Readonly<Record<string, unknown>>): ChatMessage | undefined {
  const message = isRecord(event["message"]) ? event["message"] : {};
  const id = textOf(event["message_id"]);
  const channelId = textOf(event["broadcaster_user_id"]);
  const personId = textOf(event["chatter_user_id"]);
  const text = textOf(message["text"]);
  if (!id || !channelId || !personId || text === undefined) return undefined;
  const badges = Array.isArray(event["badges"]) ? event["badges"].filter(isRecord) : [];
  const names = badges.map(({ set_id }) => textOf(set_id) ?? "");
  return {
    id,
    channelId,
    personId,
    text: text.slice(0, LONGEST_READ),
    isReply: isRecord(event["reply"]),
    badges: names.slice(0, MOST_BADGES),
    sourceId: textOf(event["source_broadcaster_user_id"]),
  };
}

const MOST_IDS = 1_000;

/** Tells what is delivered again: whether an id is new. */
export function createFirstSight() {
  const seen = createBoundedMap<string, true>(MOST_IDS);
  return (id: string): boolean => {
    const isFirst = seen.get(id) === undefined;
    if (isFirst) seen.set(id, true);
    return isFirst;
  };
}
