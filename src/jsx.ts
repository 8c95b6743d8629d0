// The package's main entry also loads Node's streams, for streamed pages. Marquee streams no pages,
// and the streams would be a sixth of the idle memory.
import { createElement } from "@elysiajs/html/h";
import { type Children, Fragment } from "@kitajs/html";

export type { Children };

/** What JSX is compiled to. Children are escaped only if they or their element are `safe`. */
export const Html = { createElement, Fragment };
