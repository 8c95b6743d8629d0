import { Html } from "../../jsx.ts";
import type { HomeView } from "./view.ts";

/** A line for each connection that does not work, with what to do. */
export const Attention = ({ state }: Pick<HomeView, "state">): JSX.Element => (
  <div data-live-html="attention">{state.attention as "safe"}</div>
);
