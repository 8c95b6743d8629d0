/** Jellyfin and Emby. Both descend from a program called Media Browser and speak nearly the same. */
export interface MediaBrowser {
  readonly id: string;
  readonly name: string;
  /** The path below which the API is. */
  readonly api: string;
  headersFor(token: string): Record<string, string>;
  /** The path and query of the WebSocket. */
  socketFor(token: string, deviceId: string): string;
}

export interface MediaBrowserSettings {
  readonly url: string;
  readonly user: string;
  readonly token: string;
}
