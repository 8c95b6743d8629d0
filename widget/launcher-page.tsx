import { Html } from "../src/jsx.ts";

export interface LauncherPageProps {
  /** The overlay's whole address, options included. */
  readonly address: string;
  /** An address that responds as soon as the server runs. */
  readonly probe: string;
  /** Bundled browser code that contains no data. */
  readonly safeScript: string;
}

/** A standalone HTML file that stays empty until the server runs, then opens the overlay. */
export function LauncherPage({ address, probe, safeScript }: LauncherPageProps): JSX.Element {
  return (
    <>
      {"<!doctype html>"}
      <html
        data-np-address={address.replaceAll("&", "&amp;")}
        data-np-probe={probe.replaceAll("&", "&amp;")}
      >
        <head>
          <meta charset="utf-8" />
          <title>Marquee</title>
          <meta name="referrer" content="no-referrer" />
          <style>{"html,body{margin:0;background:transparent}"}</style>
        </head>
        <body>
          <script>{safeScript}</script>
        </body>
      </html>
    </>
  );
}
