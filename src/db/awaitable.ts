/** At once from a file, later from a server. */
export type Awaitable<Value> = Value | Promise<Value>;
