import { LauncherPage } from "../../widget/launcher-page.tsx";
import { parseWidgetToken } from "../accounts/credential.ts";
import type { Widgets } from "../looks/widgets.ts";
import { widgetAddress } from "../addresses.ts";
import { Html } from "../jsx.ts";
import { launcherScript } from "../html/assets.ts";
import type { Pages } from "../html/page.ts";
import { PAGE_HEADERS } from "../html/html.tsx";
import type { Parts } from "../http/parts.ts";

export interface LauncherDeps extends Pick<Parts, "baseUrl"> {
  readonly widgets: Pick<Widgets, "find">;
}

export function createLauncher({ widgets, baseUrl }: LauncherDeps): Pages<"download"> {
  return {
    /**
     * A file that waits for the server and then opens the overlay; `undefined` when the token
     * opens no overlay.
     */
    async download(language, { params, request }) {
      const token = parseWidgetToken(params["token"] ?? "");
      const found = token && widgets.find(token);
      if (!token || found?.widget.kind !== "overlay") return undefined;
      const address = widgetAddress(baseUrl, language, token) + new URL(request.url).search;
      const page = (
        <LauncherPage address={address} probe={`${baseUrl}/livez`} safeScript={launcherScript} />
      );
      return new Response(await page, {
        headers: {
          ...PAGE_HEADERS,
          "Content-Disposition": 'attachment; filename="marquee-overlay.html"',
        },
      });
    },
  };
}
