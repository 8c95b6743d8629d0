import type { Obs } from "./connection.ts";
import {
  type Fields,
  fieldsIn,
  listIn,
  NAME_TAKEN,
  numberIn,
  ObsError,
  textIn,
} from "./protocol.ts";

/** A widget as OBS gets it. */
export interface ObsWidget {
  readonly address: string;
  /** The name of the browser source, if OBS has nothing of that name yet. */
  readonly name: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

export interface Stage {
  /** From the top of OBS's list to its end. */
  readonly scenes: readonly string[];
  /** The scene in the preview while OBS is in studio mode, else the one that it shows. */
  readonly current: string;
  readonly isStudioMode: boolean;
  /** Where the widget belongs by itself: where it is already, else the current scene. */
  readonly chosen: string;
  /** The browser source that shows this widget already, and the scenes it is in. */
  readonly source: { readonly name: string; readonly scenes: readonly string[] } | undefined;
}

const KIND = "browser_source";
const MOST_NAMES = 100;

/** The widget's token: it stays the same whatever else is in the address. */
const tokenOf = (address: string): string => /mqw_[\w-]+/.exec(address)?.[0] ?? address;

/** What OBS has at the moment. */
export async function lookAround(
  obs: Obs,
  { address }: Pick<ObsWidget, "address">,
): Promise<Stage> {
  const list = await obs.ask("GetSceneList");
  const preview = textIn(list, "currentPreviewSceneName");
  const current = preview || textIn(list, "currentProgramSceneName");
  const isStudioMode = preview !== "";
  // OBS lists its scenes from the bottom to the top.
  const scenes = listIn(list, "scenes")
    .map((scene) => textIn(scene, "sceneName"))
    .toReversed();
  const name = await sourceOf(obs, address);
  const without = { scenes, current, isStudioMode, chosen: current, source: undefined };
  if (name === undefined) return without;
  const holding: string[] = [];
  for (const scene of scenes) if (await holds(obs, scene, name)) holding.push(scene);
  const chosen = holding.includes(current) ? current : (holding[0] ?? current);
  return { ...without, chosen, source: { name, scenes: holding } };
}

/** The name of the browser source that shows this widget. */
async function sourceOf(obs: Obs, address: string): Promise<string | undefined> {
  const token = tokenOf(address);
  const list = await obs.ask("GetInputList", { inputKind: KIND });
  for (const input of listIn(list, "inputs")) {
    const inputName = textIn(input, "inputName");
    const settings = fieldsIn(await obs.ask("GetInputSettings", { inputName }), "inputSettings");
    if (textIn(settings, "url").includes(token)) return inputName;
  }
  return undefined;
}

/** Whether a scene has a source, in one of its groups too. */
async function holds(obs: Obs, sceneName: string, sourceName: string): Promise<boolean> {
  const items = listIn(await obs.ask("GetSceneItemList", { sceneName }), "sceneItems");
  if (items.some((item) => textIn(item, "sourceName") === sourceName)) return true;
  for (const group of items.filter((item) => item["isGroup"] === true)) {
    const asked = { sceneName: textIn(group, "sourceName") };
    const inside = listIn(await obs.ask("GetGroupSceneItemList", asked), "sceneItems");
    if (inside.some((item) => textIn(item, "sourceName") === sourceName)) return true;
  }
  return false;
}

export interface Put {
  /** `created` and `added` are new in the scene; `updated` was there before. */
  readonly outcome: "created" | "added" | "updated";
  /** The name of the source. */
  readonly name: string;
}

/** Makes the widget's browser source in a scene, or updates the one that OBS has. */
export async function putIntoObs(obs: Obs, widget: ObsWidget, sceneName: string): Promise<Put> {
  const { address: url, width, height } = widget;
  const inputSettings = { url, width, height, is_local_file: false };
  const name = await sourceOf(obs, url);
  if (name === undefined) return create(obs, widget, sceneName, inputSettings);
  await obs.ask("SetInputSettings", { inputName: name, inputSettings, overlay: true });
  if (await holds(obs, sceneName, name)) return { outcome: "updated", name };
  const item = await obs.ask("CreateSceneItem", { sceneName, sourceName: name });
  await place(obs, widget, sceneName, item);
  return { outcome: "added", name };
}

async function create(
  obs: Obs,
  widget: ObsWidget,
  sceneName: string,
  settings: Fields,
): Promise<Put> {
  const inputSettings = {
    ...settings,
    reroute_audio: false,
    shutdown: false,
    restart_when_active: false,
  };
  for (let number = 1; number <= MOST_NAMES; number++) {
    const name = number === 1 ? widget.name : `${widget.name} ${number}`;
    const asked = { sceneName, inputName: name, inputKind: KIND, inputSettings };
    const item = await obs.ask("CreateInput", asked).catch((error) => {
      if (error instanceof ObsError && error.code === NAME_TAKEN) return undefined;
      throw error;
    });
    if (!item) continue;
    await place(obs, widget, sceneName, item);
    return { outcome: "created", name };
  }
  throw new ObsError("refused");
}

/** Puts a new item where it is seen. */
async function place(obs: Obs, size: ObsWidget, sceneName: string, item: Fields): Promise<void> {
  const canvas = await obs.ask("GetVideoSettings");
  const sceneItemTransform = placeOf(size, {
    width: numberIn(canvas, "baseWidth"),
    height: numberIn(canvas, "baseHeight"),
  });
  const sceneItemId = numberIn(item, "sceneItemId");
  await obs.ask("SetSceneItemTransform", { sceneName, sceneItemId, sceneItemTransform });
}

type Size = Pick<ObsWidget, "width" | "height">;

/** The margin of a new source, as a part of the canvas's height. */
const MARGIN = 0.04;

/** The bottom left of the canvas, a little away from its edges; never outside of it. */
export function placeOf(size: Size, canvas: Size): { positionX: number; positionY: number } {
  const margin = Math.round(canvas.height * MARGIN);
  return {
    positionX: Math.max(0, Math.min(margin, canvas.width - size.width)),
    positionY: Math.max(0, canvas.height - size.height - margin),
  };
}

/** Loads the widget's page again in OBS, and not from its cache. @throws ObsError `gone` */
export async function refreshInObs(
  obs: Obs,
  { address }: Pick<ObsWidget, "address">,
): Promise<string> {
  const inputName = await sourceOf(obs, address);
  if (inputName === undefined) throw new ObsError("gone");
  await obs.ask("PressInputPropertiesButton", { inputName, propertyName: "refreshnocache" });
  return inputName;
}
