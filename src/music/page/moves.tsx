import { attribute } from "../../html/attribute.ts";
import { Submit } from "../../html/parts.tsx";
import { Html } from "../../jsx.ts";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import type { Connection } from "../connection-reads.ts";
import { moveConnection } from "../connection-actions.ts";
import { rowQuery } from "../connection-row.ts";

export interface MovesProps {
  readonly request: DashboardRequest;
  readonly connection: Pick<Connection, "publicId">;
  readonly label: string;
  /** Its place from 1, and how many there are. */
  readonly position: number;
  readonly count: number;
}

/**
 * Buttons that move a connection in the user's order. The page's script sends the same form with
 * the place to which the connection was dragged.
 */
export function Moves({ request, connection, label, position, count }: MovesProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const move = (to: number, text: string) => (
    <ActionForm
      form={formOf(request, moveConnection, { id: connection.publicId, position: to })}
      class="move"
      at={rowQuery(connection)}
    >
      <Submit label={text} class="quiet" aria-label={attribute(`${text}: ${label}`)} />
    </ActionForm>
  );
  return (
    <div class="moves">
      {position > 1 && (move(position - 1, t.up) as "safe")}
      {position < count && (move(position + 1, t.down) as "safe")}
    </div>
  );
}

/** What the pointer drags a connection by. The keyboard has the buttons. */
export function Grip({ title }: { title: string }): JSX.Element {
  return <span class="grip" data-grip hidden aria-hidden="true" title={title} />;
}
