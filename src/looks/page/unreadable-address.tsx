import { ConfirmedAction, formOf } from "../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { Status } from "../../html/parts.tsx";
import { Html } from "../../jsx.ts";
import { rotateWidget } from "../actions.ts";
import type { Widget } from "../widgets.ts";
import { consequenceOfReplacing } from "./replacing.ts";

interface UnreadableAddressProps {
  readonly request: DashboardRequest;
  readonly widget: Pick<Widget, "id" | "kind">;
  /** The query of the page to come back to. */
  readonly at?: string;
  /** Whether it is the address that shows and hides an overlay on demand. */
  readonly show?: boolean;
}

/** In place of an address that is damaged: the user can only replace it. */
export function UnreadableAddress({
  request,
  widget: { id, kind },
  at = "",
  show = false,
}: UnreadableAddressProps): JSX.Element {
  const { words } = request;
  const { gallery: t } = words.dashboard;
  return (
    <div class="unreadable-address">
      <Status tone="bad" text={t.unreadable} />
      <ConfirmedAction
        form={formOf(request, rotateWidget, show ? { id, show: "1" } : { id })}
        at={at}
        label={t.rotate}
        consequence={
          show ? words.dashboard.widget.onDemand.rotateText : consequenceOfReplacing(kind, words)
        }
        go={t.rotateGo}
      />
    </div>
  );
}
