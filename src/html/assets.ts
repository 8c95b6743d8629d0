import iconSource from "./icon.svg" with { type: "text" };
import nightSceneSource from "./night-scene.svg" with { type: "text" };
import { bundled } from "./bundle.ts" with { type: "macro" };
import { immutableFile } from "../immutable-file.ts";

interface Asset {
  /** Path below the base URL. It contains a content hash, so it can be cached permanently. */
  readonly path: string;
  readonly body: string;
  readonly type: string;
}

// Bun inlines the result of a macro at each use, but not the result of a call around it.
const bundles = Object.freeze(bundled());
const assets = new Map<string, Asset>();

export const widgetScript = bundle("widget/client.ts");
export const widgetStylesheet = bundle("widget/widget.css");
export const deadAddressScript = bundle("widget/dead-address.ts");
export const pageStylesheet = bundle("src/html/page.css");
export const dashboardStylesheet = bundle("src/dashboard/dashboard.css");
export const homeScript = bundle("src/overlay/page/browser/home.ts");
export const musicScript = bundle("src/music/page/browser/music.ts");
export const docsStylesheet = bundle("src/docs/docs.css");
export const homeStylesheet = bundle("src/home/home.css");
export const docsScript = bundle("src/docs/browser/docs.ts");
export const widgetEditorScript = bundle("src/looks/page/editor/browser/overlay.ts");
export const intoObsScript = bundle("src/looks/page/editor/browser/into-obs.ts");
export const widgetGalleryScript = bundle("src/looks/page/gallery/browser/gallery.ts");
export const outputEditorScript = bundle("src/looks/page/editor/browser/outputs.ts");
export const copyScript = bundle("src/html/browser/copy.ts");
export const icon = asset("icon", "svg", "image/svg+xml", iconSource);
/** A picture like that of a game, for overlays to stand on. */
export const nightScene = asset("night-scene", "svg", "image/svg+xml", nightSceneSource);

/** The launcher's script. It is inlined in the launcher file and is not served as an asset. */
export const launcherScript = bundles["widget/launcher.ts"];

/** `GET /assets/{file}`: the pages' script, styles and icon. */
export function assetResponse(file: string): Response | undefined {
  const found = assets.get(`/assets/${file}`);
  if (!found) return undefined;
  return new Response(found.body, {
    headers: immutableFile(`${found.type}; charset=utf-8`),
  });
}

/** A script or stylesheet, named after its file: `src-home-home-….css`. */
function bundle(file: keyof typeof bundles): Asset {
  const name = file.replace(/\.\w+$/, "").replaceAll("/", "-");
  return file.endsWith(".css")
    ? asset(name, "css", "text/css", bundles[file])
    : asset(name, "js", "text/javascript", bundles[file]);
}

function asset(name: string, ending: string, type: string, body: string): Asset {
  const path = `/assets/${name}-${Bun.hash(body).toString(36)}.${ending}`;
  const made: Asset = { path, body, type };
  assets.set(path, made);
  return made;
}
