/** What became of an action; `undefined` when nobody answered. */
export type Answer<Result> =
  | { readonly done: Result }
  /** Why it was not done, in a sentence, and the field that has to be changed. */
  | { readonly refused: string; readonly field?: string }
  | undefined;

/** Sends the form of an action without leaving the page. */
export async function send<Result>(path: string, body: FormData): Promise<Answer<Result>> {
  try {
    const headers = { Accept: "application/json" };
    const answer = await fetch(path, { method: "POST", headers, body });
    const document = await answer.json();
    return answer.ok ? { done: document } : { ...document, refused: document.error };
  } catch {
    return undefined;
  }
}
