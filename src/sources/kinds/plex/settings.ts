export const ID = "plex";
export const NAME = "Plex";

export interface PlexSettings {
  readonly url: string;
  /** Empty for the server's owner. */
  readonly user: string;
  readonly token: string;
}
