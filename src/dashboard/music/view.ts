import type { Texts } from "../../actions/action.ts";
import { AccountError } from "../../accounts/context.ts";
import { Refused as NotMade } from "../../i18n/refused.ts";
import type { Inbox } from "../../ingest/inbox.ts";
import type { EnteredApp } from "../../linking/app-form.tsx";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { DashboardRequest, Notice } from "../request.ts";
import type { Playback } from "../../playback.ts";
import type { TitleRules } from "../../titles/shown-names.ts";
import type { Parts } from "../../http/parts.ts";

export interface MusicDeps extends Parts {
  /** What other programs have pushed. */
  readonly inbox: Pick<Inbox, "postOf">;
}

/** The values typed into a form of the page that are not valid. */
export interface Refused {
  readonly formId: string;
  readonly typed: Readonly<Record<string, string>>;
  readonly mistake: string;
  /** The field with the mistake: `name`, or one of the source's options. */
  readonly field: string | undefined;
}

/** Rules that are not saved yet, and the songs that they are tried on. */
export interface TriedTitles {
  readonly typed: Texts;
  readonly rules: TitleRules;
  readonly songs: readonly Pick<Playback, "track" | "artists" | "given" | "namesFrom">[];
}

/** What an action of the page came to. */
export type ActionResult =
  | { readonly kind: "done"; readonly notice: Notice }
  /** The form is shown again, with what is wrong. */
  | { readonly kind: "refused"; readonly refused: Refused }
  | { readonly kind: "app"; readonly entered: EnteredApp }
  /** What the form was about is not there, or not for this user. */
  | { readonly kind: "gone" };

export const GONE: ActionResult = { kind: "gone" };

export const done = (text: string): ActionResult => ({
  kind: "done",
  notice: { tone: "good", text },
});

/** What the parts of the page are drawn from. */
export interface MusicView {
  readonly deps: MusicDeps;
  readonly request: DashboardRequest;
  /** The user's connections in their order. */
  readonly music: readonly ConnectedMusic[];
  readonly refused: Refused | undefined;
  /** An app's credentials that were refused. */
  readonly entered: EnteredApp | undefined;
  readonly tried: TriedTitles | undefined;
}

/** Whether a change was made; not when another page ended the connection or took its name. */
export async function isMade(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (!(error instanceof AccountError || error instanceof NotMade)) throw error;
    return false;
  }
}
