import type { Connection } from "./connection-reads.ts";

/** In the address of the page: the connection whose row is open. */
export const ROW = "row";

/** The query of the page on which a connection's row is open. */
export const rowQuery = ({ publicId }: Pick<Connection, "publicId">): string =>
  `${ROW}=${publicId}`;

/** The element of a connection's row on its page. */
export const cardId = ({ publicId }: Pick<Connection, "publicId">): string =>
  `connection-${publicId}`;
