import { fill } from "../../../../i18n/fill.ts";
import type { IntoObsSentences } from "../into-obs.tsx";
import { lookAround, type ObsWidget, putIntoObs, refreshInObs } from "./obs/browser-source.ts";
import type { Obs } from "./obs/connection.ts";
import { fillDrag } from "./obs/dragged-link.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import { ObsError } from "./obs/protocol.ts";
import { reachObs } from "./obs/reach.ts";

/**
 * The card that brings a widget into OBS: by dragging a link there, or over OBS's own WebSocket
 * server. What it says comes with the page; the password is kept nowhere.
 */
for (const chip of document.querySelectorAll<HTMLElement>("[data-drag]")) offerDrag(chip);
for (const card of document.querySelectorAll<HTMLElement>("[data-into-obs]")) offerConnection(card);

/** The widget as the page describes it at this moment: an editor may change its size. */
function widgetOf(chip: HTMLElement): ObsWidget {
  const { address = "", name = "", width, height } = chip.dataset;
  return { address, name, width: Number(width), height: Number(height) };
}

function offerDrag(chip: HTMLElement): void {
  chip.addEventListener("dragstart", ({ dataTransfer }) => {
    if (!dataTransfer) return;
    fillDrag(dataTransfer, widgetOf(chip));
    chip.toggleAttribute("data-dragging", true);
  });
  chip.addEventListener("dragend", () => chip.toggleAttribute("data-dragging", false));
}

function offerConnection(card: HTMLElement): void {
  const chip = find<HTMLElement>("[data-drag]", card);
  const access = find<HTMLFormElement>("[data-access]", card);
  const password = find<HTMLInputElement>("[type=password]", access);
  const port = find<HTMLInputElement>("[type=number]", access);
  const scenes = find<HTMLFormElement>("[data-scenes]", card);
  const choice = find<HTMLSelectElement>("select", scenes);
  const put = find<HTMLButtonElement>("[type=submit]", scenes);
  const refresh = find<HTMLButtonElement>("[data-refresh]", scenes);
  const outcome = find<HTMLElement>("[data-outcome]", card);
  const sentences: IntoObsSentences = JSON.parse(card.dataset["sentences"] ?? "{}");
  let obs: Obs | undefined;

  const say = (tone: "good" | "bad" | "idle", text: string) => {
    outcome.className = `status ${tone}`;
    outcome.textContent = text;
  };
  const showFailure = (error: unknown) => {
    const { failure, detail } = error instanceof ObsError ? error : new ObsError("refused");
    const text = fill(sentences.failures[failure], { port: port.value, detail });
    say("bad", text.trim());
  };
  const showForm = (shown: HTMLFormElement) => {
    for (const form of [access, scenes]) form.hidden = form !== shown;
  };

  const busily = (work: () => Promise<void>) =>
    resting(card, async () => {
      try {
        await work();
      } catch (error) {
        showFailure(error);
        const isGone = error instanceof ObsError && error.failure === "gone";
        if (isGone && obs) await showStage(obs).catch(showFailure);
        if (!(error instanceof ObsError)) throw error;
      }
    });

  /** Shows the scenes that OBS has; keeps the user's own choice of one. */
  const showStage = async (from: Obs, keep = "") => {
    const stage = await lookAround(from, widgetOf(chip));
    const marked = stage.isStudioMode ? sentences.inPreview : sentences.current;
    const labelOf = (scene: string) => (scene === stage.current ? fill(marked, { scene }) : scene);
    choice.replaceChildren(...stage.scenes.map((scene) => new Option(labelOf(scene), scene)));
    choice.value = stage.scenes.includes(keep) ? keep : stage.chosen;
    const holding = stage.source?.scenes ?? [];
    choice.onchange = () => {
      put.textContent = holding.includes(choice.value) ? sentences.update : sentences.put;
    };
    choice.onchange(new Event("change"));
    refresh.hidden = stage.source === undefined;
    return stage.source;
  };

  const connect = async () => {
    const access = { port: port.valueAsNumber, password: password.value };
    const connected = await reachObs(access, (mayAsk) =>
      say("idle", mayAsk ? sentences.mayAsk : sentences.connecting),
    );
    password.value = "";
    const source = await showStage(connected).catch((error) => {
      connected.close();
      throw error;
    });
    obs = connected;
    void connected.ended.then(() => {
      if (obs === connected) leave(new ObsError("closed"));
    });
    showForm(scenes);
    say("good", source ? fill(sentences.isThere, { name: source.name }) : sentences.connected);
    choice.focus();
  };

  /** Back to the password, with what went wrong, if anything did. */
  const leave = (failure?: ObsError) => {
    const connected = obs;
    obs = undefined;
    connected?.close();
    const hadFocus = scenes.contains(document.activeElement);
    showForm(access);
    say("idle", "");
    if (failure) showFailure(failure);
    if (hadFocus) password.focus();
  };

  access.addEventListener("submit", (event) => {
    event.preventDefault();
    void busily(connect);
  });
  scenes.addEventListener("submit", (event) => {
    event.preventDefault();
    void busily(async () => {
      if (!obs) return;
      const scene = choice.value;
      const { outcome, name } = await putIntoObs(obs, widgetOf(chip), scene);
      await showStage(obs, scene);
      say("good", fill(sentences.outcomes[outcome], { name, scene }));
    });
  });
  refresh.addEventListener("click", () => {
    void busily(async () => {
      if (!obs) return;
      const name = await refreshInObs(obs, widgetOf(chip));
      say("good", fill(sentences.refreshed, { name }));
    });
  });
  find<HTMLButtonElement>("[data-leave]", scenes).addEventListener("click", () => leave());
}

/** Carries out one thing at a time: the card's buttons rest until it is done. */
async function resting(card: HTMLElement, work: () => Promise<void>): Promise<void> {
  const buttons = [...card.querySelectorAll<HTMLButtonElement>("form button")];
  const focused = document.activeElement;
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } finally {
    for (const button of buttons) button.disabled = false;
    // A button that rests loses the focus.
    const isLost = document.activeElement === document.body;
    if (isLost && focused instanceof HTMLElement) focused.focus();
  }
}
