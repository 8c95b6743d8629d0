import { bundleFile } from "../../widget/bundle.ts";

/** Bundles what the pages load. Used as macros: they run while the program is compiled or loaded. */

/** The stylesheet of every page that people read, minified. */
export function bundledPageStylesheet(): string {
  return bundleFile(`${import.meta.dir}/page.css`);
}

/** What the dashboard's pages add to it, minified. */
export function bundledDashboardStylesheet(): string {
  return bundleFile(`${import.meta.dir}/dashboard/dashboard.css`);
}

/** The script that keeps the dashboard's first page as it is now, minified. */
export function bundledNowPlaying(): string {
  return bundleFile(`${import.meta.dir}/browser/now-playing.ts`);
}

/** What the first page adds to it, minified. */
export function bundledHomeStylesheet(): string {
  return bundleFile(`${import.meta.dir}/home.css`);
}

/** What the documentation's pages add to it, minified. */
export function bundledDocsStylesheet(): string {
  return bundleFile(`${import.meta.dir}/docs/docs.css`);
}

/** The documentation's copy buttons and search, minified. */
export function bundledDocs(): string {
  return bundleFile(`${import.meta.dir}/browser/docs.ts`);
}

/** The script of the widget's editor, minified. */
export function bundledWidgetEditor(): string {
  return bundleFile(`${import.meta.dir}/browser/widget-editor.ts`);
}

/** The script behind buttons that copy, minified. */
export function bundledCopy(): string {
  return bundleFile(`${import.meta.dir}/browser/copy.ts`);
}
