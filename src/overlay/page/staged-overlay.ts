import { pageAddress, widgetAddress } from "../../addresses.ts";
import type { Accounts } from "../../accounts/accounts.ts";
import type { DashboardRequest } from "../../dashboard/request.ts";
import type { Look } from "../../looks/look.ts";
import type { Widget } from "../../looks/widgets.ts";
import { sizeOf } from "../../../widget/source-size.ts";
import { cssWithFonts } from "../fonts/font-faces.ts";
import { type SharedLook, sharedLookJson } from "../looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES, type ShippedLookName, shippedLooks } from "../looks/shipped.ts";

/** A look beside the stage. */
export interface OfferedLook {
  /** What the form sends: the name of one of our looks, or a whole one. */
  readonly sent: string;
  readonly look: SharedLook;
  /** Path of a page that shows it with demo music, and the CSS that this page lacks. */
  readonly path: string;
  readonly css: string;
  readonly isChosen: boolean;
}

/** The user's first overlay, and looks for it. */
export type StagedOverlay = NonNullable<Awaited<ReturnType<typeof stagedOverlay>>>;

/** How many looks are offered, the overlay's own among them. */
const OFFERED = 6;
/** What is offered first: looks that differ clearly where they are small. */
const FIRST_OFFERED: readonly ShippedLookName[] = [
  "ambient",
  "cosy",
  "lounge",
  "cassette",
  "neon",
  "pixel",
];

export async function stagedOverlay(
  { widgets }: Pick<Accounts, "widgets">,
  request: DashboardRequest,
) {
  const { user, language, baseUrl, basePath } = request;
  // Somebody without any gets one.
  await widgets.first(user);
  const widget = widgets.allOf(user).find(({ kind }) => kind === "overlay");
  if (!widget) return undefined;
  const token = widgets.readableTokenOf(user, widget.id);
  const spoken = widget.language ?? language;
  return {
    widget,
    /** Its path on this server, and its whole address; `undefined` when they are damaged. */
    page:
      token === undefined
        ? undefined
        : {
            path: widgetAddress(basePath, spoken, token),
            address: widgetAddress(baseUrl, spoken, token),
          },
    looks: looksFor(widget, request),
  };
}

/** Some of our looks. The overlay's own comes first where it is none of them: one click leads back to it. */
function looksFor(widget: Widget, request: DashboardRequest): readonly OfferedLook[] {
  const { words, basePath, language } = request;
  const demo = pageAddress(basePath, language, "demo");
  const looks = shippedLooks(words);
  const names = new Set([...FIRST_OFFERED, ...SHIPPED_LOOK_NAMES]);
  const ours = [...names].map((name) => ({
    sent: name,
    look: looks[name],
    path: `${demo}?look=${name}`,
    css: "",
    isChosen: looksAlike(looks[name], widget),
  }));
  const chosen = ours.find(({ isChosen }) => isChosen);
  if (chosen) return [chosen, ...ours.filter((one) => one !== chosen)].slice(0, OFFERED);
  const own = { ...widget, name: words.dashboard.home.ownLook };
  const query = new URLSearchParams(widget.options).toString();
  const first = {
    sent: sharedLookJson(own),
    look: own,
    path: query === "" ? demo : `${demo}?${query}`,
    css: cssWithFonts({ own: [], basePath }, { font: null, css: widget.css }),
    isChosen: true,
  };
  return [first, ...ours.slice(0, OFFERED - 1)];
}

const looksAlike = (one: Look, other: Look): boolean =>
  one.css === other.css &&
  Bun.deepEquals(one.options, other.options) &&
  Bun.deepEquals(sizeOf(one), sizeOf(other));
