import { type Answer, send } from "../../../../dashboard/browser/send.ts";
import type { EditorSetup } from "../setup.ts";

/** Asks the server for an action. */
export function ask<Result>(
  { page, formToken }: EditorSetup,
  action: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer<Result>> {
  const body = new FormData();
  for (const [name, value] of Object.entries({ token: formToken, do: action, ...fields })) {
    body.set(name, value);
  }
  return send(page, body);
}
