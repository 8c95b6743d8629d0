/**
 * Sends a form of an action without leaving the page. What the server does not do that way, such as for
 * a session that has ended, the browser sends as usual, and shows what comes of it.
 */
export async function sendForm(form: HTMLFormElement): Promise<boolean> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  const answer = await fetch(form.action, {
    method: "POST",
    headers: { accept: "application/json" },
    body,
  }).catch(() => undefined);
  if (answer?.ok) return true;
  form.submit();
  return false;
}
