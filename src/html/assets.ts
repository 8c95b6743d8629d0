import iconSource from "./icon.svg" with { type: "text" };
import { bundled } from "./bundle.ts" with { type: "macro" };

interface Asset {
  /** Path below the base URL. It contains a content hash, so it can be cached permanently. */
  readonly path: string;
  readonly body: string;
  readonly type: string;
}

// Bun inlines the result of a macro at each use, but not the result of a call around it.
const bundles = Object.freeze(bundled());
const assets = new Map<string, Asset>();

export const widgetScript = script("widget", bundles["widget/client.ts"]);
export const widgetStylesheet = stylesheet("widget", bundles["widget/widget.css"]);
export const deadAddressScript = script("gone", bundles["widget/dead-address.ts"]);
export const pageStylesheet = stylesheet("page", bundles["src/html/page.css"]);
export const dashboardStylesheet = stylesheet("dashboard", bundles["src/dashboard/dashboard.css"]);
export const nowPlayingScript = script(
  "now-playing",
  bundles["src/dashboard/browser/now-playing.ts"],
);
export const musicScript = script("music", bundles["src/dashboard/music/browser/music.ts"]);
export const docsStylesheet = stylesheet("docs", bundles["src/docs/docs.css"]);
export const homeStylesheet = stylesheet("home", bundles["src/home/home.css"]);
export const docsScript = script("docs", bundles["src/docs/browser/docs.ts"]);
export const widgetEditorScript = script(
  "widget-editor",
  bundles["src/dashboard/widgets/browser/editor/index.ts"],
);
export const intoObsScript = script(
  "into-obs",
  bundles["src/dashboard/widgets/browser/into-obs.ts"],
);
export const widgetGalleryScript = script(
  "widget-gallery",
  bundles["src/dashboard/widgets/browser/gallery.ts"],
);
export const outputEditorScript = script(
  "output-editor",
  bundles["src/dashboard/outputs/browser/output-editor.ts"],
);
export const copyScript = script("copy", bundles["src/html/browser/copy.ts"]);
export const icon = asset("icon", "svg", "image/svg+xml", iconSource);

/** The launcher's script. It is inlined in the launcher file and is not served as an asset. */
export const launcherScript = bundles["widget/launcher.ts"];

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

function script(name: string, body: string): Asset {
  return asset(name, "js", "text/javascript", body);
}

function stylesheet(name: string, body: string): Asset {
  return asset(name, "css", "text/css", body);
}

function asset(name: string, ending: string, type: string, body: string): Asset {
  const path = `/assets/${name}-${Bun.hash(body).toString(36)}.${ending}`;
  const made: Asset = { path, body, type };
  assets.set(path, made);
  return made;
}
