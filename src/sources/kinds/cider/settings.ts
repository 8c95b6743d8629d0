export const ID = "cider";
export const NAME = "Cider";

export interface CiderSettings {
  readonly url: string;
  /** Empty where Cider asks for none. */
  readonly token: string;
}
