import { resolve } from "node:path";
import { secretKeyPath } from "../accounts/secrets.ts";
import { type Command, print } from "./command.ts";

import { withWorkspace } from "./workspace.ts";

/** `marquee backup FILE`: a consistent copy of the database, while the server runs or not. */
export function backUp(file: string): Command {
  return (config, asJson, io) =>
    withWorkspace(config, async ({ store }) => {
      store.copyTo(resolve(file));
      print(
        io,
        asJson,
        [{ file: resolve(file) }],
        [
          `The database is copied to ${resolve(file)}.`,
          `It can only be read with ${secretKeyPath(config.data)}: keep a copy of that too, in another place.`,
        ],
      );
    });
}
