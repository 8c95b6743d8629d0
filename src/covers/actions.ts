import { action, good } from "../actions/action.ts";
import { choice, connectionId, onOff } from "../actions/inputs.ts";

/** The choice counts on servers whose owner allows the search. */
export const searchCovers = action({
  name: "user covers",
  help: "switch on or off the search for covers that a user's player lacks",
  who: "self",
  inputs: { search: onOff },
  command: { examples: ["marquee user covers ada on"] },
  async run({ accounts, user }, { search }) {
    await accounts.privacy.change(user, { searchesCovers: search });
    return { username: user.name, covers: search ? "on" : "off" };
  },
  documents: (chosen) => [chosen],
  notice: ({ dashboard }) => good(dashboard.music.covers.saved),
  lines: ({ covers }) => [
    covers === "on"
      ? "Covers are looked for, on a server whose --cover-search allows it."
      : "No covers are looked for.",
  ],
});

export const setCoversOfConnection = action({
  name: "connection covers",
  help: "show a connection's own covers, or those found elsewhere where there are some",
  who: "self",
  inputs: {
    id: connectionId,
    covers: { ...choice(["own", "found"]), placeholder: "own|found" },
  },
  command: { examples: ["marquee connection covers ada 3 found"] },
  async run({ accounts, user }, { id, covers }) {
    await accounts.connections.replaceCovers(user, id, covers === "found");
    return { id, covers };
  },
  documents: (chosen) => [chosen],
  notice: ({ dashboard }) => good(dashboard.music.covers.saved),
});
