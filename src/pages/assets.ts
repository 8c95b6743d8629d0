import iconSource from "./icon.svg" with { type: "text" };
import {
  bundledDeadAddress,
  bundledScript,
  bundledStylesheet,
} from "../../widget/bundle.ts" with { type: "macro" };

import {
  bundledCopy,
  bundledDashboardStylesheet,
  bundledDocs,
  bundledDocsStylesheet,
  bundledHomeStylesheet,
  bundledNowPlaying,
  bundledPageStylesheet,
  bundledWidgetEditor,
} from "./bundle.ts" with { type: "macro" };

interface Asset {
  /** Path below the base URL; it names the content, so it may be kept for ever. */
  readonly path: string;
  readonly body: string;
  readonly type: string;
}

export const widgetScript = asset("widget", "js", "text/javascript", bundledScript());
export const widgetStylesheet = asset("widget", "css", "text/css", bundledStylesheet());
export const deadAddressScript = asset("gone", "js", "text/javascript", bundledDeadAddress());
export const pageStylesheet = asset("page", "css", "text/css", bundledPageStylesheet());
export const dashboardStylesheet = asset(
  "dashboard",
  "css",
  "text/css",
  bundledDashboardStylesheet(),
);
export const nowPlayingScript = asset("now-playing", "js", "text/javascript", bundledNowPlaying());
export const docsStylesheet = asset("docs", "css", "text/css", bundledDocsStylesheet());
export const homeStylesheet = asset("home", "css", "text/css", bundledHomeStylesheet());
export const docsScript = asset("docs", "js", "text/javascript", bundledDocs());
export const widgetEditorScript = asset(
  "widget-editor",
  "js",
  "text/javascript",
  bundledWidgetEditor(),
);
export const copyScript = asset("copy", "js", "text/javascript", bundledCopy());
export const icon = asset("icon", "svg", "image/svg+xml", iconSource);

const assets = new Map(
  [
    widgetScript,
    widgetStylesheet,
    deadAddressScript,
    pageStylesheet,
    docsStylesheet,
    docsScript,
    homeStylesheet,
    dashboardStylesheet,
    nowPlayingScript,
    widgetEditorScript,
    copyScript,
    icon,
  ].map((one) => [one.path, one]),
);

/** `GET /assets/{file}`: the pages' script, styles and icon. */
export function assetResponse(file: string): Response | undefined {
  const found = assets.get(`/assets/${file}`);
  if (!found) return undefined;
  return new Response(found.body, {
    headers: {
      "Content-Type": `${found.type}; charset=utf-8`,
      "Cache-Control": "public, max-age=31536000, immutable",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

function asset(name: string, ending: string, type: string, body: string): Asset {
  const hash = Bun.hash(body).toString(36);
  return { path: `/assets/${name}-${hash}.${ending}`, body, type };
}
