import { isNotUnique } from "../db/errors.ts";
import { AccountError } from "../accounts/context.ts";
import type { User } from "../accounts/users.ts";
import { isUsableCss, type Look, LONGEST_CSS } from "./look.ts";

/** The maximum of widgets per user, with those that can be restored: each may hold a megabyte. */
export const MOST_WIDGETS = 20;

/** A widget cannot be changed that way; the message says why. */
export class WidgetError extends AccountError {
  readonly reason: "unknown" | "name taken" | "too many" | "changed meanwhile" | "css unusable";
  constructor(reason: WidgetError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export const refuseId = (user: User, id: number): never => {
  throw new WidgetError(
    "unknown",
    `${user.name} has no widget ${id}. "marquee widget list ${user.name}" shows them.`,
  );
};

export const refuseMore = (user: User): never => {
  throw new WidgetError(
    "too many",
    `${user.name} has ${MOST_WIDGETS} widgets, which is the maximum. Remove one first: "marquee widget list ${user.name}" shows them, "marquee widget remove ${user.name} ID" removes one.`,
  );
};

/** Two widgets of a user may not have the same name. */
export const naming = async <Result>(user: User, name: string, write: () => Promise<Result>) => {
  try {
    return await write();
  } catch (error) {
    if (!isNotUnique(error)) throw error;
    throw new WidgetError("name taken", `${user.name} has a widget named "${name}" already.`);
  }
};

export const refuseUnusableCss = ({ css }: Look) => {
  if (isUsableCss(css)) return;
  throw new WidgetError(
    "css unusable",
    `The CSS must be at most ${LONGEST_CSS} bytes, without control characters.`,
  );
};

/** Only an overlay is shown and hidden on demand. */
export const refuseShowing = (id: number): never => {
  throw new WidgetError(
    "unknown",
    `The widget ${id} is no overlay: only overlays are shown on demand.`,
  );
};
