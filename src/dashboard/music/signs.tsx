import { Html } from "../../jsx.ts";

/** Signs for ways to listen, drawn for this page: no service's logo. 24 px, lines of one width. */
const SHAPES = {
  /** Headphones. */
  spotify: `<path d="M4 15v-2.5a8 8 0 0 1 16 0V15"/><rect x="3" y="14.5" width="4.5" height="6" rx="2"/><rect x="16.5" y="14.5" width="4.5" height="6" rx="2"/>`,
  /** A browser's window with something to play. */
  sites: `<rect x="3" y="4" width="18" height="16" rx="2.5"/><path d="M3 8.5h18M6 6.3h.01M8.6 6.3h.01"/><path d="m10.4 11.4 4.2 2.6-4.2 2.6z"/>`,
  /** A record. */
  apple: `<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="2.4"/><path d="M7 12a5 5 0 0 1 5-5M17 12a5 5 0 0 1-5 5"/>`,
  /** A sound's wave. */
  soundcloud: `<path d="M3.5 10.5v3M7 7.5v9M10.5 4.5v15M14 8.5v7M17.5 6.5v11M21 10.5v3"/>`,
  /** A screen with a note. */
  player: `<rect x="3" y="4" width="18" height="12.5" rx="2"/><path d="M8.5 20h7M12 16.5V20"/><path d="M13 12V7l2.5.9"/><circle cx="11.6" cy="12" r="1.4"/>`,
  /** A house with music in it. */
  server: `<path d="m3 11.5 9-7.5 9 7.5"/><path d="M5.5 9.5V20h13V9.5"/><path d="M13 16v-5l2.3.8"/><circle cx="11.6" cy="16" r="1.4"/>`,
  /** A mast that sends. */
  radio: `<circle cx="12" cy="9" r="1.6"/><path d="m12 10.6-3.5 9.9M12 10.6l3.5 9.9M9.8 17h4.4"/><path d="M8.4 12.6a5 5 0 0 1 0-7.2M15.6 5.4a5 5 0 0 1 0 7.2M5.6 15.4a9 9 0 0 1 0-12.8M18.4 2.6a9 9 0 0 1 0 12.8"/>`,
  /** A plug. */
  other: `<path d="M8.5 3.5v4M15.5 3.5v4"/><path d="M6 7.5h12v3.5a6 6 0 0 1-12 0z"/><path d="M12 17v3.5"/>`,
} as const;

export type SignName = keyof typeof SHAPES;

/** A name stands beside it, so it says nothing to who does not see it. */
export const Sign = ({ of }: { readonly of: SignName }): JSX.Element => (
  <svg
    class="sign"
    width="24"
    height="24"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {SHAPES[of] as "safe"}
  </svg>
);
