import { fill } from "../../../i18n/fill.ts";
import type { IntoObsSentences } from "../into-obs.tsx";
import { lookAround, type ObsWidget, putIntoObs, refreshInObs } from "./obs/browser-source.ts";
import { connectToObs, type Obs } from "./obs/connection.ts";
import { fillDrag } from "./obs/dragged-link.ts";
import { mayAsk, ObsError, type Surroundings, whyNotReached } from "./obs/protocol.ts";

/**
 * The card that brings a widget into OBS: by dragging a link there, or over OBS's own WebSocket
 * server. What it says comes with the page; the password is kept nowhere.
 */
const PATIENCE_MS = 5_000;
/** The browser asks its user first, who has to read and think. */
const PATIENCE_WHILE_ASKED_MS = 60_000;

for (const chip of document.querySelectorAll<HTMLElement>("[data-drag]")) offerDrag(chip);
for (const card of document.querySelectorAll<HTMLElement>("[data-into-obs]")) {
  card.hidden = false;
  offerConnection(card);
}

/** The widget as the page describes it at this moment: an editor may change its size. */
function widgetOf(chip: HTMLElement): ObsWidget {
  const { address = "", name = "", width, height } = chip.dataset;
  return { address, name, width: Number(width), height: Number(height) };
}

function find<Kind extends Element>(card: HTMLElement, selector: string): Kind {
  const found = card.querySelector<Kind>(selector);
  if (!found) throw new Error(`the card lacks ${selector}`);
  return found;
}

function offerDrag(chip: HTMLElement): void {
  chip.hidden = false;
  chip.addEventListener("dragstart", ({ dataTransfer }) => {
    if (!dataTransfer) return;
    fillDrag(dataTransfer, widgetOf(chip));
    chip.toggleAttribute("data-dragging", true);
  });
  chip.addEventListener("dragend", () => chip.toggleAttribute("data-dragging", false));
}

function offerConnection(card: HTMLElement): void {
  const chip = find<HTMLElement>(card, "[data-drag]");
  const access = find<HTMLFormElement>(card, "[data-access]");
  const password = find<HTMLInputElement>(access, "[type=password]");
  const port = find<HTMLInputElement>(access, "[type=number]");
  const scenes = find<HTMLFormElement>(card, "[data-scenes]");
  const choice = find<HTMLSelectElement>(scenes, "select");
  const put = find<HTMLButtonElement>(scenes, "[type=submit]");
  const refresh = find<HTMLButtonElement>(scenes, "[data-refresh]");
  const told = find<HTMLElement>(card, "[data-told]");
  const sentences: IntoObsSentences = JSON.parse(card.dataset["sentences"] ?? "{}");
  let obs: Obs | undefined;

  const say = (tone: "good" | "bad" | "idle", text: string) => {
    told.className = `status ${tone}`;
    told.textContent = text;
  };
  const sayTrouble = (error: unknown) => {
    const { trouble, detail } = error instanceof ObsError ? error : new ObsError("refused");
    const text = fill(sentences.troubles[trouble], { port: port.value, detail });
    say("bad", text.trim());
  };
  const showForm = (shown: HTMLFormElement) => {
    for (const form of [access, scenes]) form.hidden = form !== shown;
  };

  /** One thing at a time: its buttons rest until it is done. */
  const busily = async (work: () => Promise<void>) => {
    const buttons = [...card.querySelectorAll<HTMLButtonElement>("form button")];
    const focused = document.activeElement;
    for (const button of buttons) button.disabled = true;
    try {
      await work();
    } catch (error) {
      sayTrouble(error);
      const isGone = error instanceof ObsError && error.trouble === "gone";
      if (isGone && obs) await showStage(obs).catch(sayTrouble);
      if (!(error instanceof ObsError)) throw error;
    } finally {
      for (const button of buttons) button.disabled = false;
      // A button that rests loses the focus.
      const isLost = document.activeElement === document.body;
      if (isLost && focused instanceof HTMLElement) focused.focus();
    }
  };

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
    const surroundings = await surroundingsOf();
    const asked = mayAsk(surroundings);
    say("idle", asked ? sentences.mayAsk : sentences.connecting);
    const patienceMs = asked ? PATIENCE_WHILE_ASKED_MS : PATIENCE_MS;
    const connected = await connectToObs({
      port: port.valueAsNumber,
      password: password.value,
      patienceMs,
    }).catch(async (error) => {
      const isUnreached = error instanceof ObsError && error.trouble === "off";
      throw isUnreached ? new ObsError(whyNotReached(await surroundingsOf())) : error;
    });
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
  const leave = (trouble?: ObsError) => {
    const connected = obs;
    obs = undefined;
    connected?.close();
    const hadFocus = scenes.contains(document.activeElement);
    showForm(access);
    say("idle", "");
    if (trouble) sayTrouble(trouble);
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
  find<HTMLButtonElement>(scenes, "[data-leave]").addEventListener("click", () => leave());
}

async function surroundingsOf(): Promise<Surroundings> {
  return {
    protocol: location.protocol,
    hostname: location.hostname,
    userAgent: navigator.userAgent,
    permission: await loopbackPermission(),
  };
}

/** The permission's name has changed; browsers throw for names that they do not know. */
async function loopbackPermission(): Promise<PermissionState | undefined> {
  for (const name of ["loopback-network", "local-network-access"]) {
    try {
      // TypeScript's list of permissions is older than these.
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state;
    } catch {
      continue;
    }
  }
  return undefined;
}
