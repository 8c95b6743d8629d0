import { fill, type Words } from "../../../i18n/index.ts";
import type { Notice } from "../../../dashboard/request.ts";

const good = (text: string): Notice => ({ tone: "good", text });
const bad = (text: string): Notice => ({ tone: "bad", text });

const noticesIn = ({ widget }: Words["dashboard"]) => {
  const { fonts, savedNotice } = widget.editor;
  return {
    saved: good(savedNotice),
    rotated: good(widget.rotated),
    "font added": good(fonts.added),
    "font removed": good(fonts.removed),
  } satisfies Record<string, Notice>;
};

/** The result of a form. */
export type Outcome = keyof ReturnType<typeof noticesIn>;

export const outcomeNotice = (outcome: Outcome, { dashboard }: Words): Notice =>
  noticesIn(dashboard)[outcome];

/** @param count how many browser sources showed the test track */
export function testNotice(count: number, { dashboard }: Words): Notice {
  const { testSent, testUnseen } = dashboard.widget;
  return count === 0 ? bad(testUnseen) : good(fill(testSent, { count: String(count) }));
}
