// The package's entry also loads Node's streams for pages sent in pieces, which ours are not: that
// would be a sixth of the idle memory.
import { createElement } from "@elysiajs/html/h";
import { Fragment } from "@kitajs/html";

/** What JSX is compiled to. Children are not escaped unless they or their element say `safe`. */
export const Html = { createElement, Fragment };
