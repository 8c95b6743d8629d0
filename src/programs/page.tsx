import { ApiKeys } from "../accounts/page/keys.tsx";
import { dashboardPage } from "../dashboard/frame.tsx";
import type { Section } from "../dashboard/request.ts";
import { Hooks, type HooksDeps } from "../hooks/page.tsx";
import type { Parts } from "../http/parts.ts";
import { Html } from "../jsx.ts";

export interface ProgramsDeps extends HooksDeps, Pick<Parts, "clock"> {}

/** The page of what programs need. */
export function createSection(deps: ProgramsDeps): Section {
  return {
    async show(request) {
      return dashboardPage({
        request,
        title: request.words.dashboard.sections.programs,
        children: (
          <>
            <div id="keys">
              <ApiKeys {...deps} request={request} />
            </div>
            <div id="hooks">{(await Hooks({ ...deps, request })) as "safe"}</div>
          </>
        ),
      });
    },
  };
}
