import { expect } from "bun:test";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { languages } from "../../src/i18n/index.ts";

const { history: said } = languages.en;

/** What OBS gives to the pages of browser sources. */
const asInObs = (streaming: boolean) => {
  Object.assign(window, {
    obsstudio: {
      getStatus: (tell: (status: object) => void) =>
        tell({ streaming, recording: true, scene: "Home" }),
    },
  });
};

onTheDashboard("the overlay in OBS", (stage) => {
  const { test } = stage;
  const stream = () => stage.server.accounts.history.streamOf(stage.ada.user.id);
  const allow = () =>
    stage.server.accounts.history.change(stage.ada.user, { keeps: "day", followsStreams: true });

  const openOverlay = async (streaming: boolean) => {
    const context = await stage.context();
    await context.addInitScript(asInObs, streaming);
    const page = await context.newPage();
    const sent: string[] = [];
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => sent.push(String(payload))),
    );
    await stage.plays();
    await page.goto(stage.overlay());
    await page.getByText("Paper Lanterns").first().waitFor();
    const happens = (name: string) =>
      page.evaluate((event) => window.dispatchEvent(new CustomEvent(event)), name);
    return { sent, happens };
  };

  test("says nothing to the server until its user allows it, then whether OBS streams", async () => {
    const overlay = await openOverlay(true);
    await overlay.happens("obsStreamingStarted");
    expect(overlay.sent).toEqual([]);
    await allow();
    await until(stream);
    await until(() => overlay.sent[0]);
    expect(overlay.sent).toEqual(['{"type":"streaming","state":"started"}']);
  });

  test("tells of the start and the end of a stream, which the dashboard shows", async () => {
    await allow();
    const overlay = await openOverlay(false);
    await until(() => overlay.sent[0]);
    await overlay.happens("obsSceneChanged");
    await overlay.happens("obsStreamingStarted");
    await until(stream);
    const { page } = await stage.open("history", { query: "?as" });
    await page.getByRole("heading", { name: said.thisStream }).waitFor();
    await overlay.happens("obsStreamingStopped");
    await until(() => stream()?.endedAt ?? undefined);
    await page.reload();
    await page.getByRole("heading", { name: said.lastStream }).waitFor();
    expect(overlay.sent).toEqual([
      '{"type":"streaming","state":"stopped"}',
      '{"type":"streaming","state":"started"}',
      '{"type":"streaming","state":"stopped"}',
    ]);
  });
});
