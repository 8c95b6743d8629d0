import { send } from "../../../dashboard/browser/send.ts";

/**
 * Sends a form of an action without leaving the page. What the server does not do that way, such as for
 * a session that has ended, the browser sends as usual, and shows what comes of it.
 */
export async function sendForm(form: HTMLFormElement): Promise<boolean> {
  const answer = await send(form.action, new FormData(form));
  if (answer && "done" in answer) return true;
  form.submit();
  return false;
}
