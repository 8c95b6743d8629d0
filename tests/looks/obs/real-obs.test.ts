import { afterEach, describe, expect } from "bun:test";
import {
  lookAround,
  putIntoObs,
  refreshInObs,
} from "../../../src/looks/page/editor/browser/obs/browser-source.ts";
import { connectToObs, type Obs } from "../../../src/looks/page/editor/browser/obs/connection.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { obsIsInstalled, type RealObs, startRealObs } from "../../fixtures/obs/real-obs.ts";
import { testWith } from "../../fixtures/real-parts.ts";

const test = testWith("OBS with Xvfb", obsIsInstalled);
const widget = {
  address: "http://127.0.0.1:4747/en/widget/mqw_abc",
  name: "Marquee",
  width: 500,
  height: 120,
};

let real: RealObs | undefined;
afterEach(() => real?.stop());

/** OBS answers its clients before it has loaded its scenes. */
async function enter({ port, password }: RealObs): Promise<Obs> {
  const obs = await connectToObs({ port, password, patienceMs: 5_000 });
  await until(() => obs.ask("GetSceneList").catch(() => undefined));
  return obs;
}

describe("a real OBS", () => {
  test("lets in who knows the password, tells its scenes, and has no browser source at Debian", async () => {
    real = await startRealObs({ hasBrowserSource: false });
    const { port } = real;
    const wrong = connectToObs({ port, password: "wrong horse", patienceMs: 5_000 });
    await expect(wrong).rejects.toMatchObject({ failure: "wrongPassword" });

    const obs = await enter(real);
    expect(await lookAround(obs, widget)).toEqual({
      scenes: ["Game", "Break"],
      current: "Game",
      isStudioMode: false,
      chosen: "Game",
      source: undefined,
    });
    const put = putIntoObs(obs, widget, "Game");
    await expect(put).rejects.toMatchObject({ failure: "noBrowserSource" });
    obs.close();
  });

  test("takes a widget, its changes, another scene and a refresh where it has browser sources", async () => {
    real = await startRealObs({ hasBrowserSource: true });
    const obs = await enter(real);
    await obs.ask("CreateInput", {
      sceneName: "Break",
      inputName: "Marquee",
      inputKind: "color_source_v3",
    });
    const name = "Marquee 2";
    expect(await putIntoObs(obs, widget, "Game")).toEqual({ outcome: "created", name });
    const { sceneItems } = await obs.ask("GetSceneItemList", { sceneName: "Game" });
    // OBS takes the size of its canvas from the screen.
    const { baseHeight } = await obs.ask("GetVideoSettings");
    const positionX = Math.round(Number(baseHeight) * 0.04);
    const positionY = Number(baseHeight) - 120 - positionX;
    expect(sceneItems).toMatchObject([
      { sourceName: name, sceneItemTransform: { positionX, positionY } },
    ]);

    const larger = { ...widget, address: `${widget.address}?size=32`, width: 1000, height: 240 };
    expect(await putIntoObs(obs, larger, "Game")).toEqual({ outcome: "updated", name });
    const { inputSettings } = await obs.ask("GetInputSettings", { inputName: name });
    expect(inputSettings).toMatchObject({ url: larger.address, width: 1000, height: 240 });

    expect(await putIntoObs(obs, widget, "Break")).toEqual({ outcome: "added", name });
    await obs.ask("SetStudioModeEnabled", { studioModeEnabled: true });
    expect(await lookAround(obs, widget)).toEqual({
      scenes: ["Game", "Break"],
      current: "Game",
      isStudioMode: true,
      chosen: "Game",
      source: { name, scenes: ["Game", "Break"] },
    });

    expect(real.presses()).toBe(0);
    expect(await refreshInObs(obs, widget)).toBe(name);
    expect(real.presses()).toBe(1);
    obs.close();
  });
});
