import { afterEach, describe, expect, test } from "bun:test";
import {
  lookAround,
  putIntoObs,
  refreshInObs,
} from "../../../src/looks/page/editor/browser/obs/browser-source.ts";
import { connectToObs, type Obs } from "../../../src/looks/page/editor/browser/obs/connection.ts";
import type { Failure } from "../../../src/looks/page/editor/browser/obs/protocol.ts";
import { freePort } from "../../fixtures/clock/waiting.ts";
import {
  type StandInObs,
  type StandInObsOptions,
  startStandInObs,
} from "../../fixtures/obs/stand-in-obs.ts";

const widget = {
  address: "http://127.0.0.1:4747/fr/widget/mqw_abc-_1?theme=bar",
  name: "Marquee",
  width: 500,
  height: 120,
};
const SETTINGS = { url: widget.address, width: 500, height: 120, is_local_file: false };

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0).toReversed()) close();
});

function standIn(options?: StandInObsOptions): StandInObs {
  const standing = startStandInObs(options);
  opened.push(standing.stop);
  return standing;
}

async function enter({ port }: { port: number }, password = ""): Promise<Obs> {
  const obs = await connectToObs({ port, password, patienceMs: 5_000 });
  opened.push(obs.close);
  return obs;
}

const failureIn = (doing: Promise<unknown>): Promise<Failure | "none"> =>
  doing.then(
    () => "none",
    (error) => error.failure,
  );

describe("a connection", () => {
  test("needs the right password, where there is one", async () => {
    const locked = standIn({ password: "pässwörd 🐎" });
    expect(await failureIn(enter(locked, "pässwörd 🐎"))).toBe("none");
    expect(await failureIn(enter(locked, "password"))).toBe("wrongPassword");
    expect(await failureIn(enter(locked))).toBe("wrongPassword");
    expect(await failureIn(enter(standIn(), "any"))).toBe("none");
  });

  test("says why there is none", async () => {
    expect(await failureIn(enter({ port: freePort() }))).toBe("off");
    expect(await failureIn(enter(standIn({ closesWith: 4010 })))).toBe("oldVersion");
    expect(await failureIn(enter(standIn({ closesWith: 4011 })))).toBe("closed");
    expect(await failureIn(enter(standIn({ greeting: "220 mail.example" })))).toBe("notObs");
    const silent = standIn({ greeting: null });
    const access = { port: silent.port, password: "", patienceMs: 20 };
    expect(await failureIn(connectToObs(access))).toBe("timeout");
  });

  test("that ends settles what is still asked, and says so", async () => {
    const standing = standIn();
    const obs = await enter(standing);
    standing.hangUp();
    await obs.ended;
    expect(await failureIn(obs.ask("GetSceneList"))).toBe("closed");
  });

  test("says what OBS said to a request that it refuses", async () => {
    const obs = await enter(standIn());
    await expect(obs.ask("Dance")).rejects.toMatchObject({
      failure: "refused",
      detail: "The reason for 204.",
    });
  });
});

describe("the scenes", () => {
  test("come in OBS's own order, with the one on air chosen", async () => {
    const obs = await enter(standIn());
    expect(await lookAround(obs, widget)).toEqual({
      scenes: ["Game", "Break"],
      current: "Game",
      isStudioMode: false,
      chosen: "Game",
      source: undefined,
    });
  });

  test("begin with the one in the preview in studio mode", async () => {
    const obs = await enter(standIn({ previewScene: "Break" }));
    expect(await lookAround(obs, widget)).toMatchObject({ chosen: "Break", isStudioMode: true });
  });

  test("begin with one that has the widget already, in a group too", async () => {
    const standing = standIn();
    const old = "http://old.example/en/widget/mqw_abc-_1";
    standing.inputs.set("Music", { url: old });
    standing.inputs.set("Alerts", { url: "http://127.0.0.1:4747/fr/widget/mqw_other" });
    Object.assign(standing.scenes, { Group: ["Music"] });
    standing.scenes["Break"]?.push("Group");
    const { chosen, source } = await lookAround(await enter(standing), widget);
    expect([chosen, source?.name]).toEqual(["Break", "Music"]);
    expect(source?.scenes).toContain("Break");
    expect(source?.scenes).not.toContain("Game");
  });
});

describe("putting a widget into OBS", () => {
  test("makes a browser source at the bottom left of the scene", async () => {
    const standing = standIn();
    const put = await putIntoObs(await enter(standing), widget, "Break");
    expect(put).toEqual({ outcome: "created", name: "Marquee" });
    const quiet = { reroute_audio: false, shutdown: false, restart_when_active: false };
    expect(standing.changes).toEqual([
      {
        type: "CreateInput",
        data: {
          sceneName: "Break",
          inputName: "Marquee",
          inputKind: "browser_source",
          inputSettings: { ...SETTINGS, ...quiet },
        },
      },
      {
        type: "SetSceneItemTransform",
        data: {
          sceneName: "Break",
          sceneItemId: 1,
          sceneItemTransform: { positionX: 43, positionY: 917 },
        },
      },
    ]);
  });

  test("takes the next name where one is taken", async () => {
    const standing = standIn();
    for (const name of ["Marquee", "Marquee 2"]) standing.inputs.set(name, {});
    const put = await putIntoObs(await enter(standing), widget, "Game");
    expect(put).toEqual({ outcome: "created", name: "Marquee 3" });
  });

  test("updates the source that has the widget's token, and moves nothing", async () => {
    const standing = standIn();
    standing.inputs.set("Music", { url: "http://old.example/en/widget/mqw_abc-_1", css: "b {}" });
    standing.scenes["Game"]?.push("Music");
    const put = await putIntoObs(await enter(standing), widget, "Game");
    expect(put).toEqual({ outcome: "updated", name: "Music" });
    expect(standing.inputs.get("Music")).toEqual({ ...SETTINGS, css: "b {}" });
    expect(standing.changes.map(({ type }) => type)).toEqual(["SetInputSettings"]);
  });

  test("takes that source into a scene that lacks it", async () => {
    const standing = standIn();
    standing.inputs.set("Music", { url: widget.address });
    standing.scenes["Game"]?.push("Music");
    const put = await putIntoObs(await enter(standing), widget, "Break");
    expect(put).toEqual({ outcome: "added", name: "Music" });
    expect(standing.scenes["Break"]).toEqual(["Music"]);
  });

  test.each([
    [605, "noBrowserSource"],
    [207, "busy"],
    [600, "gone"],
    [702, "refused"],
  ] as const)("says what the code %d means: %s", async (code, failure) => {
    const obs = await enter(standIn({ refuses: { CreateInput: code } }));
    expect(await failureIn(putIntoObs(obs, widget, "Game"))).toBe(failure);
  });
});

describe("loading a widget again", () => {
  test("presses the button that passes the cache by", async () => {
    const standing = standIn();
    standing.inputs.set("Music", { url: widget.address });
    expect(await refreshInObs(await enter(standing), widget)).toBe("Music");
    expect(standing.changes).toEqual([
      {
        type: "PressInputPropertiesButton",
        data: { inputName: "Music", propertyName: "refreshnocache" },
      },
    ]);
  });

  test("says that the source is not there any more", async () => {
    expect(await failureIn(refreshInObs(await enter(standIn()), widget))).toBe("gone");
  });
});
