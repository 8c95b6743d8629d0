import { Html } from "../../jsx.ts";
import { Form } from "../form.tsx";
import type { DashboardRequest } from "../request.ts";

export interface MovesProps {
  readonly request: DashboardRequest;
  /** The connection's public id. */
  readonly target: string;
  readonly label: string;
  /** Its place from 1, and how many there are. */
  readonly position: number;
  readonly count: number;
}

/**
 * Buttons that move a connection in the user's order. The page's script sends the same form with
 * the place to which the connection was dragged.
 */
export function Moves({ request, target, label, position, count }: MovesProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const move = (action: "up" | "down", text: string) => (
    <Form request={request} action={action} target={target} class="move">
      <button type="submit" class="quiet" aria-label={`${text}: ${label}`} safe>
        {text}
      </button>
    </Form>
  );
  return (
    <div class="moves">
      {position > 1 && (move("up", t.up) as "safe")}
      {position < count && (move("down", t.down) as "safe")}
    </div>
  );
}

/** What the pointer drags a connection by. The keyboard has the buttons. */
export function Grip({ title }: { title: string }): JSX.Element {
  return <span class="grip" data-grip hidden aria-hidden="true" title={title} />;
}
