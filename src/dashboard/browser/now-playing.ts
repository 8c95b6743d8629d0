import type { DashboardState } from "../state.ts";
import { followDashboard, showPresence } from "./dashboard-socket.ts";

/** Keeps the dashboard's first page up to date: the track, the status and the overlays. */
const live = document.querySelector<HTMLElement>("[data-live]");
const progress = document.querySelector<HTMLProgressElement>("[data-live-progress]");
const art = document.querySelector<HTMLImageElement>("[data-live-art]");

let position = { ms: progress?.value ?? 0, atMs: performance.now(), moves: false };

function setText(name: string, text: string): void {
  for (const element of document.querySelectorAll(`[data-live-text="${name}"]`)) {
    if (element.textContent !== text) element.textContent = text;
  }
}

function show(state: DashboardState): void {
  const { track, status } = state;
  setText("label", state.label);
  setText("title", track?.title ?? "");
  setText("artist", track?.artist ?? "");
  setText("album", track?.album ?? "");
  setText("where", track?.where ?? "");
  setText("privacy", state.privacy);
  setText("health", status.text);
  showPresence(state);
  live?.toggleAttribute("data-track", track !== null);
  for (const element of document.querySelectorAll("[data-live-tone]")) {
    element.className = `status ${status.tone}`;
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-live-action]")) {
    element.hidden = !status.linkAgain;
  }
  for (const element of document.querySelectorAll('[data-live-class="overlays"]')) {
    element.classList.toggle("done", state.overlays > 0);
  }
  if (art) {
    art.hidden = !track?.art;
    if (track?.art && art.getAttribute("src") !== track.art) art.src = track.art;
  }
  if (progress) {
    progress.hidden = !track?.durationMs;
    progress.max = track?.durationMs ?? 1;
  }
  position = {
    ms: track?.positionMs ?? 0,
    atMs: performance.now(),
    moves: track?.playing ?? false,
  };
  step();
}

function step(): void {
  if (!progress || progress.hidden) return;
  const elapsedMs = position.moves ? performance.now() - position.atMs : 0;
  progress.value = Math.min(progress.max, position.ms + elapsedMs);
}

if (live?.dataset["live"]) followDashboard(live.dataset["live"], show);
setInterval(step, 1_000);
