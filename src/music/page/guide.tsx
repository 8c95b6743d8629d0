import { docsAddress } from "../../addresses.ts";
import { Html } from "../../jsx.ts";
import type { Source } from "../../sources/source.ts";
import type { DashboardRequest } from "../../dashboard/request.ts";

interface GuideProps {
  readonly request: DashboardRequest;
  readonly source: Pick<Source, "id">;
}

/** Leads to the source's page in the documentation. */
export function Guide({ request, source }: GuideProps): JSX.Element {
  const { basePath, language, words } = request;
  return (
    <p class="hint guide">
      <a href={docsAddress(basePath, language, `sources/${source.id}`)} safe>
        {words.dashboard.music.guide}
      </a>
    </p>
  );
}
