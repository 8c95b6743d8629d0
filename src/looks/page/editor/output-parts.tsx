import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { docsAddress } from "../../../addresses.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { reachOf } from "../../../outputs/reach.ts";

/** Why other websites cannot load the card from this server, and what helps; nothing when they can. */
export function Unreachable({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { basePath, baseUrl, language, words } = request;
  const reach = reachOf(baseUrl);
  if (reach === "public") return <></>;
  const host = new URL(baseUrl).host;
  return (
    <p class="status warn unreachable">
      <span>
        <span safe>{fill(words.outputs.card.unreachable[reach], { host })}</span>{" "}
        <a href={docsAddress(basePath, language, "reach")} safe>
          {words.reach.how}
        </a>
      </span>
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
