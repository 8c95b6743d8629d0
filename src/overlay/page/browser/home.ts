import { followDashboard, showPresence } from "../../../dashboard/browser/dashboard-socket.ts";
import { find } from "../../../dashboard/browser/page-parts.ts";
import type { DashboardState } from "../../../dashboard/state.ts";
import { styleFrames } from "../../../looks/page/gallery/browser/style-frames.ts";
import { keepFoundPlayers } from "./found-players.ts";
import { offerLooks } from "./looks.ts";
import { closeAsMenu } from "./menu.ts";
import { sendBackupInParts } from "./restore.ts";
import { sendForm } from "./send-form.ts";

/** Keeps the first page up to date, and carries out what can be done without leaving it. */
const home = find<HTMLElement>(".home");
const progress = document.querySelector<HTMLProgressElement>("[data-live-progress]");
const art = document.querySelector<HTMLImageElement>("[data-live-art]");
const testTrack = document.querySelector<HTMLFormElement>("[data-test-track] form");

let position = { ms: progress?.value ?? 0, atMs: performance.now(), rate: 0 };
let attention: string | undefined;

function setText(name: string, text: string): void {
  for (const element of document.querySelectorAll(`[data-live-text="${name}"]`)) {
    if (element.textContent !== text) element.textContent = text;
  }
}

function show(state: DashboardState): void {
  const { track, overlays } = state;
  setText("label", state.label);
  setText("title", track?.title ?? "");
  setText("artist", track?.artist ?? "");
  setText("album", track?.album ?? "");
  setText("where", track?.where ?? "");
  setText("privacy", state.privacy);
  showPresence(state);
  showAttention(state.attention);
  showArt(track?.art ?? null);
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-live-value="title"]')) {
    field.value = track?.title ?? "";
  }
  const wasOnStream = home.hasAttribute("data-on-stream");
  home.toggleAttribute("data-track", track !== null);
  home.toggleAttribute("data-paused", state.isPaused);
  home.toggleAttribute("data-hidden", state.isHidden);
  home.toggleAttribute("data-on-stream", overlays > 0);
  const isSeen = track !== null && !state.isPaused && !state.isHidden;
  // Somebody new who has just put the overlay into OBS sees a song in it, whatever plays.
  if (home.hasAttribute("data-new") && overlays > 0 && !wasOnStream && !isSeen) sendTestTrack();
  if (progress) {
    progress.hidden = !track?.durationMs;
    progress.max = track?.durationMs ?? 1;
  }
  position = {
    ms: track?.positionMs ?? 0,
    atMs: performance.now(),
    rate: track?.playing ? track.rate : 0,
  };
  step();
}

function showAttention(html: string): void {
  const part = document.querySelector('[data-live-html="attention"]');
  if (!part || attention === html) return;
  attention = html;
  part.innerHTML = html;
}

function showArt(path: string | null): void {
  if (!art) return;
  art.hidden = path === null;
  if (path !== null && art.getAttribute("src") !== path) art.src = path;
}

function step(): void {
  if (!progress || progress.hidden) return;
  const passedMs = (performance.now() - position.atMs) * position.rate;
  progress.value = Math.min(progress.max, position.ms + passedMs);
}

function sendTestTrack(): void {
  if (testTrack) void sendForm(testTrack);
}

testTrack?.addEventListener("submit", (event) => {
  event.preventDefault();
  sendTestTrack();
});
if (home.dataset["live"]) followDashboard(home.dataset["live"], show);
setInterval(step, 1_000);
styleFrames();
offerLooks();
for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.choice")) {
  closeAsMenu(menu);
}
keepFoundPlayers();
sendBackupInParts();
