import { Html } from "../../jsx.ts";
import type { Place, Source } from "../../sources/source.ts";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { Guide } from "./guide.tsx";

/** A source that can be connected. */
export interface Offer {
  readonly source: Source;
  /** Whether the user has a connection to it already. */
  readonly isConnected: boolean;
  readonly isOpen: boolean;
  /** What connects it. */
  readonly form: JSX.Element;
}

type Group = keyof DashboardRequest["words"]["dashboard"]["music"]["groups"];

const GROUP_OF: Readonly<Record<Place, Group>> = {
  computer: "computer",
  service: "services",
  server: "services",
  browser: "pushing",
  anywhere: "pushing",
  here: "trying",
};

const GROUPS: readonly Group[] = ["computer", "services", "pushing", "trying"];

/** What is said about a source begins with what it is; how soon it reports comes when it unfolds. */
const FIRST_SENTENCE = /^(.*?\.)(?:\s+(.*))?$/s;

/** The element of a source's form, to which hyperlinks lead. */
export const offerId = (sourceId: string): string => `source-${sourceId}`;

/** The sources, by where they run. Each form is folded away below the source's name. */
export function Offers({
  request,
  offers,
}: {
  request: DashboardRequest;
  offers: readonly Offer[];
}): JSX.Element {
  const { groups } = request.words.dashboard.music;
  const grouped = GROUPS.map((group) => ({
    group,
    members: offers.filter(({ source }) => GROUP_OF[source.facts.runs] === group),
  }));
  return (
    <>
      {grouped
        .filter(({ members }) => members.length > 0)
        .map(({ group, members }) => (
          <section class="offers">
            <h3 safe>{groups[group]}</h3>
            {members.map((offer) => (
              <OfferDetails request={request} offer={offer} />
            ))}
          </section>
        ))}
    </>
  );
}

function OfferDetails({ request, offer }: { request: DashboardRequest; offer: Offer }) {
  const { music: t } = request.words.dashboard;
  const { source, isConnected, isOpen, form } = offer;
  const about: Readonly<Record<string, string>> = t.about;
  const [, what, details] = FIRST_SENTENCE.exec(about[source.id] ?? "") ?? [];
  return (
    <details class="offer source" id={offerId(source.id)} open={isOpen}>
      <summary>
        <strong safe>{source.name}</strong>
        <span class="about">
          {isConnected && (
            <span class="tag" safe>
              {t.isConnected}
            </span>
          )}{" "}
          <span safe>{what ?? ""}</span>
        </span>
      </summary>
      <div class="offered">
        {details ? <p safe>{details}</p> : ""}
        {form as "safe"}
        <Guide request={request} source={source} />
      </div>
    </details>
  );
}
