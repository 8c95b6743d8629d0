export const ID = "pear";
export const NAME = "YouTube Music";

export interface PearSettings {
  readonly url: string;
  /** Empty for the Amuse plug-in. */
  readonly token: string;
}
