import { Html } from "../../jsx.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import { Choice, type ChoiceProps, Fold, Form } from "../form.tsx";
import type { DashboardRequest } from "../request.ts";

interface ConnectionChoiceProps extends Pick<ChoiceProps, "chosen" | "options"> {
  readonly request: DashboardRequest;
  readonly one: ConnectedMusic;
  /** The name of the field. The action of its form is this with `-of`. */
  readonly name: "covers" | "titles";
}

/** A choice for one connection, folded away on its card. */
export function ConnectionChoice({
  request,
  one,
  name,
  ...choice
}: ConnectionChoiceProps): JSX.Element {
  const { publicId } = one.connection;
  const { title, show, save } = request.words.dashboard.music[name];
  return (
    <Fold label={title} isOpen={false}>
      <Form request={request} action={`${name}-of`} target={String(publicId)}>
        <>
          <Choice id={`${name}-${publicId}`} name={name} label={show} {...choice} />
          <button type="submit" safe>
            {save}
          </button>
        </>
      </Form>
    </Fold>
  );
}
