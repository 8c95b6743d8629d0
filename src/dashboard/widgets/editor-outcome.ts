import type { FontError } from "../../looks/fonts.ts";
import { fill, type Words } from "../../i18n/index.ts";
import type { Notice } from "../request.ts";

const good = (text: string): Notice => ({ tone: "good", text });
const bad = (text: string): Notice => ({ tone: "bad", text });

const noticesIn = ({ widget }: Words["dashboard"]) => {
  const { fonts, savedNotice } = widget.editor;
  return {
    saved: good(savedNotice),
    rotated: good(widget.rotated),
    "font added": good(fonts.added),
    "font removed": good(fonts.removed),
    "font bad name": bad(fonts.badName),
    "font name taken": bad(fonts.nameTaken),
    "font not WOFF2": bad(fonts.notWoff2),
    "font too large": bad(fonts.tooLarge),
    "font too many": bad(fonts.tooMany),
    "font there already": bad(fonts.thereAlready),
  } satisfies Readonly<Record<`font ${FontError["reason"]}`, Notice>> & Record<string, Notice>;
};

/** The result of a form; a test comes with the number of browser sources that showed the track. */
export type Outcome = keyof ReturnType<typeof noticesIn> | `tested ${number}`;

/** The notice for an outcome that an address carries; `undefined` for any other text. */
export function noticeOf(outcome: string | null, { dashboard }: Words): Notice | undefined {
  const [, digits] = /^tested (\d{1,3})$/.exec(outcome ?? "") ?? [];
  if (digits === undefined) return new Map(Object.entries(noticesIn(dashboard))).get(outcome ?? "");
  const { testSent, testUnseen } = dashboard.widget;
  const count = String(Number(digits));
  return count === "0" ? bad(testUnseen) : good(fill(testSent, { count }));
}
