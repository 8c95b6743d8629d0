import { parseWidgetToken } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import type { WidgetKind } from "../looks/new-widget.ts";
import type { Widget, Widgets } from "../looks/widgets.ts";
import { createGuesses, type GuessesDeps } from "../http/guess-limit.ts";
import { secondsOf } from "../http/rate-limit.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import type { Parts } from "../http/parts.ts";

export type Admission =
  | { readonly kind: "admitted"; readonly user: User; readonly widget: Widget }
  /** The token opens nothing of this kind. */
  | { readonly kind: "wrong" }
  /** Too many wrong tokens came from this network, or the user's budget of work is spent. */
  | {
      readonly kind: "limited";
      readonly why: "wrongAddresses" | "spent";
      readonly waitSeconds: number;
    };

/** Status, text and headers of the answer to who is not let in. */
export function refusalOf(
  language: Language,
  admission: Exclude<Admission, { kind: "admitted" }>,
): [number, string, Readonly<Record<string, string>>] {
  const { outputs } = languages[language];
  if (admission.kind === "wrong") return [404, outputs.unknown, {}];
  const seconds = String(admission.waitSeconds);
  return [429, fill(outputs[admission.why], { seconds }), { "Retry-After": seconds }];
}

/**
 * Lets those in who know the token of a widget of a kind, and charges its user for what follows. Wrong
 * tokens count as guesses.
 */
export type Guard = (kind: WidgetKind, token: string, request: Request) => Admission;

export interface GuardDeps extends GuessesDeps, Pick<Parts, "budget"> {
  readonly widgets: Pick<Widgets, "find">;
}

export function createGuard({ widgets, budget, ...deps }: GuardDeps): Guard {
  const guesses = createGuesses(deps);
  return (kind, tokenText, request) => {
    const token = parseWidgetToken(tokenText);
    const found = token && widgets.find(token);
    if (found?.widget.kind === kind) {
      const spentMs = budget.waitMs(found.user.id);
      if (spentMs > 0) return { kind: "limited", why: "spent", waitSeconds: secondsOf(spentMs) };
      budget.begin(found.user.id);
      return { kind: "admitted", ...found };
    }
    const waitMs = guesses.count(request);
    return waitMs === undefined
      ? { kind: "wrong" }
      : { kind: "limited", why: "wrongAddresses", waitSeconds: secondsOf(waitMs) };
  };
}
