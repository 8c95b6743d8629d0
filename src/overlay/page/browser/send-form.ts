import { post } from "../../../dashboard/browser/send.ts";

/**
 * Sends a form of an action without leaving the page. What the server does not do that way, such as for
 * a session that has ended, the browser sends as usual, and shows what comes of it. While the server does
 * not answer, the page says so, and stays.
 */
export async function sendForm(form: HTMLFormElement): Promise<boolean> {
  const answer = await post(form.action, new FormData(form));
  if (answer?.ok) return true;
  if (answer) form.submit();
  return false;
}
