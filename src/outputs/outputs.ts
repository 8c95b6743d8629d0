import type { Accounts } from "../accounts/accounts.ts";
import type { ArtworkStore } from "../artwork/artwork-store.ts";
import type { Hub } from "../channels/hub.ts";
import type { Clock } from "../clock.ts";
import type { Language } from "../languages.ts";
import type { CardOutput } from "./card.ts";
import { createDoor, type Door } from "./door.ts";
import type { TextOutput } from "./text.ts";

export interface OutputsDeps {
  readonly accounts: Pick<Accounts, "widgets">;
  readonly hub: Pick<Hub, "peek" | "read" | "songsBefore">;
  readonly artworks: Pick<ArtworkStore, "pictureOf" | "accentOf" | "analyse">;
  readonly clock: Clock;
  /** The client address of a request. */
  addressOf(request: Request): string;
}

/** What chat bots and websites read, each by the token of a widget of its kind. */
export interface Outputs {
  readonly text: TextOutput;
  readonly card: CardOutput;
  readonly door: Door;
}

/** Each output is loaded on first use, so that a server without it saves the memory. */
export function createOutputs(deps: OutputsDeps): Outputs {
  const door = createDoor({ ...deps, widgets: deps.accounts.widgets });
  const parts = { ...deps, door };
  const text = once(async () => (await import("./text.ts")).createTextOutput(parts));
  const card = once(async () => (await import("./card.ts")).createCardOutput(parts));
  return {
    door,
    text: async (language: Language, token, request) => (await text())(language, token, request),
    card: async (language: Language, token, request) => (await card())(language, token, request),
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => (made ??= make());
}
