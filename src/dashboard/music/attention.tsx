import { pathTo } from "../../html/section-paths.ts";
import { languages } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Language } from "../../languages.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import { describeStatus } from "./status-words.ts";

export interface AttentionProps {
  readonly place: { readonly basePath: string; readonly language: Language };
  readonly music: readonly ConnectedMusic[];
  readonly nowMs: number;
}

/** A line for each connection that needs its user, and one where nothing is connected. */
export function Attention({ place, music, nowMs }: AttentionProps): JSX.Element {
  const { dashboard } = languages[place.language];
  const statuses = music.map((one) => describeStatus(one, place.language, nowMs));
  const lines =
    music.length === 0
      ? [{ tone: "warn", text: dashboard.health.nothing } as const]
      : statuses.filter(({ tone }) => tone !== "good");
  if (lines.length === 0) return <></>;
  return (
    <ul class="attention">
      {lines.map(({ tone, text }) => (
        <li class={`status ${tone}`}>
          <span>
            <span safe>{text}</span>{" "}
            <a href={pathTo(place, "music")} safe>
              {dashboard.home.goToMusic}
            </a>
          </span>
        </li>
      ))}
    </ul>
  );
}
