import { find } from "../../../dashboard/browser/page-parts.ts";

/** A request of this size is below the server's limit. */
const PART_BYTES = 512 * 1024;
/** How long to wait when the server has done too much for this user. */
const PAUSE_MS = 1_000;

/** Sends all parts of a backup but the last, which the form takes with it, as it takes a short one. */
export function sendBackupInParts(): void {
  const place = document.querySelector<HTMLElement>("[data-restore]");
  if (!place) return;
  const form = find<HTMLFormElement>("form", place);
  const field = find<HTMLInputElement>("[name=backup]", form);
  const at = find<HTMLInputElement>("[name=at]", form);
  const sent = find<HTMLProgressElement>("[data-sent]", place);
  const outcome = find<HTMLElement>("[data-outcome]", place);
  let isSending = false;

  const send = async (part: Blob): Promise<Response | undefined> => {
    const body = new FormData(form);
    body.delete("key");
    body.set("more", "1");
    body.set("backup", part);
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => undefined);
    if (answer?.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return send(part);
  };

  /** Returns what went wrong, in a sentence. */
  const sendAll = async (file: File): Promise<string | undefined> => {
    const { largest, tooLarge, interrupted } = place.dataset;
    if (file.size > Number(largest)) return tooLarge;
    let from = 0;
    for (; file.size - from > PART_BYTES; from += PART_BYTES) {
      at.value = String(from);
      const answer = await send(file.slice(from, from + PART_BYTES));
      if (answer?.status !== 204) return answer?.status === 422 ? answer.text() : interrupted;
      sent.value = (from + PART_BYTES) / file.size;
    }
    at.value = String(from);
    const rest = new DataTransfer();
    rest.items.add(new File([file.slice(from)], file.name));
    field.files = rest.files;
    return undefined;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [file] = field.files ?? [];
    if (!file || isSending) return;
    isSending = true;
    outcome.textContent = "";
    sent.hidden = false;
    const mistake = await sendAll(file);
    if (mistake === undefined) return form.submit();
    sent.hidden = true;
    at.value = "0";
    outcome.textContent = mistake;
    isSending = false;
  });
}
