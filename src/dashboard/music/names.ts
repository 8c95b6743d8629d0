import { LONGEST_KEY_NAME } from "../../accounts/key-name.ts";
import { fill, type Words } from "../../i18n/index.ts";
import type { Connection } from "../../music/connection-reads.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { Source } from "../../sources/source.ts";

/** The id of a connection's card on the page. */
export const cardId = ({ publicId }: Pick<Connection, "publicId">): string =>
  `connection-${publicId}`;

/** What is wrong with a connection's name; `undefined` as a name is one that cannot be read. */
export function nameMistake(
  { dashboard: { music: t } }: Words,
  { id, name: source }: Source,
  name: string | undefined,
  others: readonly ConnectedMusic[],
): string | undefined {
  if (name === undefined) return fill(t.nameWrong, { most: String(LONGEST_KEY_NAME) });
  const isTaken = others.some((one) => one.source.id === id && one.connection.name === name);
  return isTaken ? fill(t.nameTaken, { source }) : undefined;
}
