import { PAGE_WAITS_MS } from "../channels/first-answer.ts";
import { Html } from "../jsx.ts";
import { WidgetPage } from "../../widget/page.tsx";
import { parseWidgetToken } from "../accounts/credential.ts";
import type { Language } from "../languages.ts";
import { DEMO_LISTENER, listenerOf } from "../channels/connection-finder.ts";
import { VERSION } from "../version.ts";
import { icon, widgetScript, widgetStylesheet } from "../html/assets.ts";
import type { Pages } from "../html/page.ts";
import { htmlResponse } from "../html/html.tsx";
import { withinBudget } from "../html/spent.ts";
import type { LiveDeps } from "./live.ts";
import type { PageFonts } from "./fonts/font-faces.ts";
import { type LookedAt, overlayLook, shippedLookIn } from "./look.ts";
import { ownFolders } from "./own-folders.ts";
import { toWidgetState } from "./widget-state.ts";
import type { Parts } from "../http/parts.ts";

type WidgetDeps = Parts & Pick<LiveDeps, "widgets" | "fontsOf" | "covers" | "standInOf">;

const queryOf = ({ url }: Request): URLSearchParams => new URL(url).searchParams;

/** The overlay's page. */
export function createWidget(deps: WidgetDeps): Pages<"show" | "demo"> {
  const { widgets, hub, clock, budget, covers, baseUrl, basePath } = deps;
  const draw = async (
    language: Language,
    userId: number,
    request: Request,
    widget: LookedAt | undefined,
    fonts: PageFonts,
  ): Promise<Response> => {
    const look = overlayLook(widget, language, queryOf(request), fonts);
    const { options, warnings, words, languageTag, css } = look;
    const listenerId = listenerOf(userId, options.demo);
    const reading = await hub.read(listenerId, PAGE_WAITS_MS);
    const known = reading.kind !== "unavailable";
    await covers.prepare(reading, listenerId);
    const page = (
      <WidgetPage
        languageTag={languageTag}
        words={words}
        look={look.fingerprint}
        css={css}
        options={options}
        warnings={warnings}
        version={VERSION}
        state={
          known
            ? toWidgetState(reading, { userId, listenerId }, clock.monotonicMs(), deps)
            : undefined
        }
        iconPath={basePath + icon.path}
        stylesheetPath={basePath + widgetStylesheet.path}
        scriptPath={basePath + widgetScript.path}
      />
    );
    const own = ownFolders(request.headers.get("host"), baseUrl);
    return htmlResponse(page, {
      frameAncestors: "*",
      styles: own("assets"),
      // The streamer's own CSS may contain pictures and fonts. `data:` calls nobody.
      images: `${own("art", "covers", "assets")} data:`,
      fonts: `${own("fonts")} data:`,
    });
  };

  return {
    /** `undefined` when the token opens no overlay. */
    async show(language, { params, request }) {
      const token = parseWidgetToken(params["token"] ?? "");
      const found = token && widgets.find(token);
      if (found?.widget.kind !== "overlay") return undefined;
      const { user, widget } = found;
      const place = { language, basePath, inPlaceOfOverlay: true } as const;
      return withinBudget(budget, user.id, place, async () =>
        draw(language, user.id, request, widget, deps.fontsOf(user.id)),
      );
    },
    /** The public overlay, which plays the demo. */
    async demo(language, { request }) {
      const look = await shippedLookIn(queryOf(request), language);
      return draw(language, DEMO_LISTENER, request, look, { own: [], basePath });
    },
  };
}
