import type { Draft } from "../../../draft.ts";

/** What is not saved yet, and the revision that it was made of. */
export interface KeptDraft {
  readonly draft: Draft;
  readonly basedOn: number;
}

/** Keeps what is not saved in this tab of the browser, over a reload and a lost session. */
export function keepDraft(widgetId: number) {
  const name = `marquee-draft-${widgetId}`;
  return {
    read(): KeptDraft | undefined {
      try {
        return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(kept: KeptDraft | undefined): void {
      try {
        if (kept) sessionStorage.setItem(name, JSON.stringify(kept));
        else sessionStorage.removeItem(name);
      } catch {
        // The browser keeps nothing: it asks before the page is left.
      }
    },
  };
}
