/** Where a bot runs: hosted ones cannot reach an address at home. */
export type BotPlace = "hosted" | "local";

export interface Bot {
  readonly id: string;
  readonly name: string;
  readonly place: BotPlace;
  /** What is entered in the bot. Without a command of its own it takes the bare address. */
  commandFor(address: string): string;
  /** Whether it has a field for the address instead of a command. */
  readonly hasField?: true;
}

/** The bots whose way of asking is known, those on the internet first. */
export const bots = [
  bot("nightbot", "Nightbot", "hosted", (address) => `$(urlfetch ${address})`),
  bot("streamelements", "StreamElements", "hosted", (address) => `$(customapi ${address})`),
  bot("fossabot", "Fossabot", "hosted", (address) => `$(customapi ${address})`),
  field("moobot", "Moobot", "hosted"),
  bot("cloudbot", "Streamlabs Cloudbot", "hosted", (address) => `{readapi.${address}}`),
  bot("wizebot", "WizeBot", "hosted", (address) => `$urlcall(${address})`),
  field("streamerbot", "Streamer.bot", "local"),
  field("mixitup", "Mix It Up", "local"),
  bot("firebot", "Firebot", "local", (address) => `$readApi[${address}]`),
  bot("chatbot", "Streamlabs Chatbot", "local", (address) => `$readapi(${address})`),
] as const satisfies readonly Bot[];

/** The bots that have a field for the address; the words say where it is. */
export type FieldBotId = "moobot" | "streamerbot" | "mixitup";

function bot<const Id extends string>(
  id: Id,
  name: string,
  place: BotPlace,
  commandFor: (address: string) => string,
): Bot & { readonly id: Id } {
  return { id, name, place, commandFor };
}

function field<const Id extends FieldBotId>(
  id: Id,
  name: string,
  place: BotPlace,
): Bot & { readonly id: Id } {
  return { id, name, place, commandFor: (address) => address, hasField: true };
}
