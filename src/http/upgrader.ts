/** The data of a socket: each feature has its own kinds. */
export interface SocketTicket {
  readonly kind: string;
}

/** Upgrades a request to a socket: `Bun.serve`'s server. */
export interface Upgrader {
  upgrade(request: Request, options: { data: SocketTicket }): boolean;
}
