import type { Playback } from "../playback.ts";
import {
  defineSource,
  type Source,
  type OptionValues,
  type SourceDefinition,
  type SourceOption,
  type SourceOptions,
  type WatchContext,
} from "./source.ts";
import { withMeanings } from "./answer-failure.ts";
import { addressOf } from "./entered-server.ts";
import type { Covers } from "../upstream/covers.ts";
import type { Upstream } from "../upstream/index.ts";

/** What the sources have in common that listen to a server over an open connection. */

/** Makes the way to public servers, and to the one at `url`. */
export type UpstreamOf = (source: string, url: string) => Upstream;

export interface StreamedSourceDeps {
  readonly upstreamOf: UpstreamOf;
  readonly covers: Covers;
}

/** What a source of that kind defines itself. */
type Listening<Options extends SourceOptions, Settings> = Omit<
  SourceDefinition<Options, Settings>,
  "delivery" | "addressOf" | "watch"
> & {
  /** Begins to listen, with code that is loaded now. */
  listen(
    settings: NoInfer<Settings>,
    context: WatchContext,
  ): Promise<AsyncIterable<Playback | null>>;
};

/** A source that listens to a server which users enter. */
export const defineStreamedSource = <
  const Options extends SourceOptions & { readonly url: SourceOption },
  Settings extends { readonly url: string } = OptionValues<Options> & { readonly url: string },
>({
  listen,
  ...definition
}: Listening<Options, Settings>): Source =>
  defineSource<Options, Settings>({
    ...definition,
    delivery: "streamed",
    addressOf,
    watch: (settings, context) =>
      withMeanings(`${definition.name} at ${settings.url}`, context.signal, () =>
        listen(settings, context),
      ),
  });
