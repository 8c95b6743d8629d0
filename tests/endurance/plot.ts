import type { Sample } from "./samples.ts";

const WIDTH = 1_000;
const PANEL = 120;
const LEFT = 170;
const TOP = 40;

const PANELS: readonly (readonly [name: string, unit: string, of: (sample: Sample) => number])[] = [
  ["Memory (RSS)", "MiB", ({ rssMib }) => rssMib],
  ["Memory of its own", "MiB", ({ anonymousMib }) => anonymousMib],
  ["Descriptors", "", ({ descriptors }) => descriptors],
  ["Sockets", "", ({ sockets }) => sockets],
  ["Event loop, p99", "ms", ({ loopP99Ms }) => loopP99Ms],
  ["An empty answer", "ms", ({ answerMs }) => answerMs],
  ["A push to pixels", "ms", ({ paintMs }) => paintMs],
  ["API, the slowest call", "ms", ({ apiMs }) => apiMs],
  ["Processor, server", "%", ({ cpuPercent }) => cpuPercent],
  ["Processor, browsers", "%", ({ browsersCpuPercent }) => browsersCpuPercent],
  ["Log", "KiB", ({ logKib }) => logKib],
  ["Data folder", "MiB", ({ dataMib }) => dataMib],
];

/** What happened, at its second of the run. */
export interface Mark {
  readonly atSeconds: number;
  readonly name: string;
}

/** The samples over time as an SVG drawing, a panel a value, with a line at each accident. */
export function plotOf(title: string, samples: readonly Sample[], marks: readonly Mark[]): string {
  const longest = Math.max(1, samples.at(-1)?.atSeconds ?? 1);
  const x = (seconds: number) => (LEFT + (seconds / longest) * (WIDTH - LEFT - 20)).toFixed(1);
  const height = TOP + PANELS.length * PANEL + 30;
  const panels = PANELS.map(([name, unit, of], index) => {
    const top = TOP + index * PANEL;
    const values = samples.map(of);
    const most = Math.max(...values, 1e-9);
    const y = (value: number) => (top + PANEL - 14 - (value / most) * (PANEL - 34)).toFixed(1);
    const points = samples.map((sample) => `${x(sample.atSeconds)},${y(of(sample))}`).join(" ");
    const last = values.at(-1) ?? 0;
    return `<text x="12" y="${top + 30}" class="name">${name}</text>
<text x="12" y="${top + 50}">${last.toFixed(1)} ${unit} at the end</text>
<text x="12" y="${top + 68}">${most.toFixed(1)} ${unit} at most</text>
<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(0)}" y2="${y(0)}" class="axis"/>
<polyline points="${points}"/>`;
  });
  const lines = marks.map(
    ({ atSeconds, name }) =>
      `<g class="mark"><title>${Bun.escapeHTML(name)}</title><line x1="${x(atSeconds)}" x2="${x(atSeconds)}" y1="${TOP}" y2="${height - 30}"/></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<style>
  text { font: 13px system-ui, sans-serif; fill: #555 }
  .name, .title { font-weight: 600; fill: #111 }
  .axis { stroke: #ccc }
  polyline { fill: none; stroke: #2a6fdb; stroke-width: 1.5 }
  .mark line { stroke: #d9480f; stroke-dasharray: 3 3; opacity: .7 }
</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="12" y="22" class="title">${Bun.escapeHTML(title)}</text>
${[...lines, ...panels].join("\n")}
<text x="${LEFT}" y="${height - 10}">0 s</text>
<text x="${WIDTH - 20}" y="${height - 10}" text-anchor="end">${longest.toFixed(0)} s; dashed: accidents</text>
</svg>
`;
}
