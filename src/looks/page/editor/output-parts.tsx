import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { type Reach, reachOf } from "../../../outputs/reach.ts";

/** Why services on the internet cannot reach this server; nothing when they can. */
export function Unreachable({
  baseUrl,
  reasons,
}: {
  readonly baseUrl: string;
  readonly reasons: Readonly<Record<Exclude<Reach, "public">, string>>;
}): JSX.Element {
  const reach = reachOf(baseUrl);
  if (reach === "public") return <></>;
  return (
    <p class="status warn unreachable" safe>
      {fill(reasons[reach], { host: new URL(baseUrl).host })}
    </p>
  );
}

export interface SwitchProps {
  readonly name: string;
  readonly label: string;
}

export const Switch = ({ name, label }: SwitchProps): JSX.Element => (
  <p class="control switch">
    <label>
      <input type="checkbox" name={name} value="1" />
      <span safe>{label}</span>
    </label>
  </p>
);
