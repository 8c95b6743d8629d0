/** The data of a socket: each room has its own kind. */
export interface SocketTicket {
  readonly kind: string;
}

/** Upgrades a request to a socket: `Bun.serve`'s server. */
export interface Upgrader {
  upgrade(request: Request, options: { data: SocketTicket }): boolean;
}
