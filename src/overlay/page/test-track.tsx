import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { Html } from "../../jsx.ts";
import { testWidgets } from "../../looks/editor-actions.ts";
import { Submit } from "../../html/parts.tsx";

interface TestTrackProps {
  readonly request: DashboardRequest;
  /** Whether only the page's script sends it. */
  readonly isHidden?: boolean;
}

/** Shows a song in the overlays for a moment. With a script the page stays, and shows it, too. */
export const TestTrack = ({ request, isHidden = false }: TestTrackProps): JSX.Element => (
  <div data-test-track hidden={isHidden}>
    <ActionForm form={formOf(request, testWidgets)} class="">
      <Submit label={request.words.dashboard.home.test} class="quiet" />
    </ActionForm>
  </div>
);
