import { assetResponse } from "../html/assets.ts";
import { inLanguage } from "../html/page.ts";
import { type Feature, get } from "../http/feature.ts";
import { createHome, createLanguageRedirect, type HomeDeps } from "./home.tsx";

/** The home page, and the styles and scripts of all pages. */
export function createHomeFeature(deps: HomeDeps): Feature {
  const home = createHome(deps);
  return {
    routes: [
      get("/", createLanguageRedirect(deps.basePath)),
      get("/:lang", inLanguage(home)),
      get("/assets/:file", ({ params }) => assetResponse(params["file"] ?? "")),
    ],
  };
}
