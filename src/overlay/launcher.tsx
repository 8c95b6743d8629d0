import { LauncherPage } from "../../widget/launcher-page.tsx";
import { parseWidgetToken } from "../accounts/credential.ts";
import type { Widgets } from "../looks/widgets.ts";
import { widgetAddress } from "../addresses.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import { launcherScript } from "../html/assets.ts";
import { PAGE_HEADERS } from "../html/html.tsx";

export interface LauncherDeps {
  readonly widgets: Pick<Widgets, "find">;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
}

/**
 * `GET /{lang}/widget/{token}/launcher`: a file to download that waits for the server and then
 * opens the overlay; `undefined` when the token opens no overlay.
 */
export function createLauncher({ widgets, baseUrl }: LauncherDeps) {
  return async (
    language: Language,
    tokenText: string,
    query: string,
  ): Promise<Response | undefined> => {
    const token = parseWidgetToken(tokenText);
    const found = token && (await widgets.find(token));
    if (!token || found?.widget.kind !== "overlay") return undefined;
    const address = widgetAddress(baseUrl, language, token) + query;
    const page = (
      <LauncherPage address={address} probe={`${baseUrl}/livez`} safeScript={launcherScript} />
    );
    return new Response(await page, {
      headers: {
        ...PAGE_HEADERS,
        "Content-Disposition": 'attachment; filename="marquee-overlay.html"',
      },
    });
  };
}
