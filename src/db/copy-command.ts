/** The word with which the program copies a database in a process of its own, for a server. */
export const COPY_COMMAND = "copy-database";
