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
import {
  type AskedServer,
  type AskedServerDeps,
  createAskedServer,
  type ServerRequest,
} from "./asked-server.ts";
import type { Upstream } from "../upstream/index.ts";

/** What the sources have in common that listen to a server over an open connection. */

export interface StreamedSourceDeps extends Pick<AskedServerDeps, "covers"> {
  /** Makes the way to public servers, and to the one at `url`. */
  upstreamOf(source: string, url: string): Upstream;
}

/** What a source of that kind defines itself. */
type Listening<Options extends SourceOptions, Settings> = Omit<
  SourceDefinition<Options, Settings>,
  "delivery" | "addressOf" | "watch"
> & {
  readonly deps: StreamedSourceDeps;
  /** What each of its requests has. */
  requestWith(settings: NoInfer<Settings>): ServerRequest;
  /** Begins to listen, with code that is loaded now. */
  listen(
    server: AskedServer,
    context: WatchContext,
    settings: NoInfer<Settings>,
  ): Promise<AsyncIterable<Playback | null>>;
};

/** A source that listens to a server which users enter. */
export const defineStreamedSource = <
  const Options extends SourceOptions & { readonly url: SourceOption },
  Settings extends { readonly url: string } = OptionValues<Options> & { readonly url: string },
>({
  deps: { upstreamOf, covers },
  requestWith,
  listen,
  ...definition
}: Listening<Options, Settings>): Source =>
  defineSource<Options, Settings>({
    ...definition,
    delivery: "streamed",
    addressOf,
    watch(settings, context) {
      const { id, name } = definition;
      const { url } = settings;
      return withMeanings(`${name} at ${url}`, context.signal, () => {
        const deps = { upstream: upstreamOf(id, url), covers };
        const server = createAskedServer({ id, name, url }, deps, context, requestWith(settings));
        return listen(server, context, settings);
      });
    },
  });
