/** What became of an action; `undefined` when nobody answered. */
export type Answer<Result> =
  | { readonly done: Result }
  /** Why it was not done, in a sentence, and the field that has to be changed. */
  | { readonly refused: string; readonly field?: string }
  | undefined;

/** Sends the form of an action without leaving the page. `undefined` while the server cannot be reached. */
export function post(path: string, body: FormData): Promise<Response | undefined> {
  const headers = { Accept: "application/json" };
  return fetch(path, { method: "POST", headers, body }).catch(() => undefined);
}

/** The same, with what became of it. */
export async function send<Result>(path: string, body: FormData): Promise<Answer<Result>> {
  const answer = await post(path, body);
  if (!answer) return undefined;
  try {
    const document = await answer.json();
    return answer.ok ? { done: document } : { ...document, refused: document.error };
  } catch {
    return undefined;
  }
}
