import { offerCopies } from "./copy-buttons.ts";

/** Makes the copy buttons of every page work. */
offerCopies(document);
