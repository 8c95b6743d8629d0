import birds from "./covers/birds.webp" with { type: "file" };
import ferry from "./covers/ferry.webp" with { type: "file" };
import garden from "./covers/garden.webp" with { type: "file" };
import lanterns from "./covers/lanterns.webp" with { type: "file" };
import moonlight from "./covers/moonlight.webp" with { type: "file" };
import observatory from "./covers/observatory.webp" with { type: "file" };
import rain from "./covers/rain.webp" with { type: "file" };

import type { DemoSong } from "../../../../widget/options.ts";

export interface DemoTrack {
  readonly id: string;
  /** The path of its cover picture; the songs of the playlist all have one. */
  readonly cover?: string;
  readonly title: string;
  readonly artists: readonly string[];
  readonly album: string;
  readonly durationMs: number;
  /** Where in the track the player pauses, and for how long. */
  readonly pause?: { readonly atMs: number; readonly lengthMs: number };
}

const seconds = (value: number) => value * 1000;

const ORDINARY = {
  id: "lanterns",
  cover: lanterns,
  title: "Paper Lanterns",
  artists: ["Juniper Vale"],
  album: "Slow Weather",
  durationMs: seconds(188),
} satisfies DemoTrack;
const LONG = {
  id: "observatory",
  cover: observatory,
  title:
    "Everything We Said We Would Do When the Summer Came Back to the Little House by the Sea (Live at the Old Observatory)",
  artists: ["Otto Lindqvist Ensemble"],
  album: "A Map of Small Hours",
  durationMs: seconds(242),
} satisfies DemoTrack;
const JAPANESE = {
  id: "garden",
  cover: garden,
  title: "夜の庭で会いましょう",
  artists: ["青い硝子"],
  album: "透明な街",
  durationMs: seconds(176),
} satisfies DemoTrack;
const ARABIC = {
  id: "moonlight",
  cover: moonlight,
  title: "ضوء القمر على الماء",
  artists: ["فرقة الياسمين"],
  album: "ليالي الصيف",
  durationMs: seconds(201),
} satisfies DemoTrack;
const { cover: _, ...COVERLESS } = { ...ORDINARY, id: "coverless" };

/** Songs that are played on their own, to see what an overlay makes of them. */
export const songs: Readonly<Record<DemoSong, DemoTrack>> = {
  ordinary: ORDINARY,
  long: LONG,
  japanese: JAPANESE,
  arabic: ARABIC,
  coverless: COVERLESS,
};

/** Invented tracks and artists, with several lengths and scripts, and one very long title. */
export const playlist: readonly DemoTrack[] = [
  ORDINARY,
  {
    id: "ferry",
    cover: ferry,
    title: "Midnight Ferry",
    artists: ["The Harbour Lights", "Mina Okafor"],
    album: "Tidelines",
    durationMs: seconds(161),
    pause: { atMs: seconds(48), lengthMs: seconds(12) },
  },
  JAPANESE,
  LONG,
  ARABIC,
  {
    id: "birds",
    cover: birds,
    title: "Zugvögel",
    artists: ["Lena Sturm"],
    album: "Über den Dächern",
    durationMs: seconds(72),
    pause: { atMs: seconds(30), lengthMs: seconds(8) },
  },
  {
    id: "rain",
    cover: rain,
    title: "Ojos de lluvia",
    artists: ["Los Faroles"],
    album: "Calle sin nombre",
    durationMs: seconds(153),
  },
];
