import type { ChatAccount } from "../accounts/chat-accounts.ts";
import { AccountError } from "../accounts/context.ts";
import { createHelix } from "../chat/twitch/helix.ts";
import { createTwitchId } from "../chat/twitch/id.ts";
import { createTwitchLinks, type LinkOutcome } from "../chat/twitch/links.ts";
import { REGISTRATION_URL } from "../chat/twitch/registration.ts";
import { createTwitchUpstream } from "../chat/twitch/upstream.ts";
import { systemClock } from "../clock.ts";
import { flagOf, type SettingName } from "../config.ts";
import type { Cli, Syntax } from "./cli.ts";
import { type Command, type Execution, forUser, table } from "./command.ts";
import { NETWORK } from "../upstream/index.ts";

/** What the commands that ask Twitch take besides the settings of all commands. */
const TWITCH_SETTINGS: readonly SettingName[] = [
  "twitchClientId",
  "twitchIdUrl",
  "twitchApiUrl",
  "twitchEventsubUrl",
];

/** Declares `marquee chat …`. */
export function declareChat<Target extends Syntax>({
  group,
  carriesOut,
  shows,
}: Cli<Target>): void {
  const chat = group("chat", "answer !song in a user's Twitch chat");
  carriesOut(
    chat("link", "link a Twitch account and answer !song in its chat", [
      "marquee chat link ada",
      "marquee chat link ada --channel adas_channel",
    ])
      .argument("<user>")
      .option("--channel <name>", "the channel to answer in, if it is not the account's own"),
    (name: string, options: { channel?: string }) => linkChat(name, options.channel),
    { settings: TWITCH_SETTINGS },
  );
  shows(chat("list", "list a user's linked chat accounts").argument("<user>"), (name: string) =>
    listChats(name),
  );
  carriesOut(
    chat("unlink", "unlink a chat account, here and at Twitch")
      .argument("<user>")
      .argument("<login>"),
    (name: string, login: string) => unlinkChat(name, login),
    { settings: TWITCH_SETTINGS },
  );
}

/** `marquee chat link USER [--channel NAME]`. */
function linkChat(userName: string, channel: string | undefined): Command {
  return forUser(userName, async (execution) => {
    const { user, print, signal } = execution;
    const links = linksOf(execution);
    const clientId = await links.clientId();
    if (clientId === undefined) throw new AccountError(NO_APPLICATION);
    const begun = await links.begin(clientId);
    if (begun.kind === "uncertain") throw new AccountError("Twitch does not answer. Try again.");
    if (begun.kind === "refused") throw new AccountError(`Twitch refuses: ${begun.message}`);
    const { code } = begun;
    const address = code.link ?? "https://www.twitch.tv/activate";
    print(
      [{ code: code.userCode, url: address }],
      [
        "Open this address, signed in to Twitch as the account that is to answer:",
        `  ${address}`,
        `If Twitch asks for a code, it is ${code.userCode}. Waiting until you agree…`,
      ],
    );
    const choice = channel === undefined ? {} : { channel };
    const outcome = await links.finish(user, { clientId, code, ...choice }, signal);
    if (outcome.kind !== "linked") throw new AccountError(reasonOf(outcome));
    const { account } = outcome;
    print(
      [documentOf(account)],
      [
        `Linked as ${account.login}: it answers !song in the chat of ${account.channel}.`,
        "Not you? Twitch took the account that your browser is signed in with.",
      ],
    );
  });
}

const NO_APPLICATION = `There is no application at Twitch to link through yet. Register one at ${REGISTRATION_URL}, with the client type Public, and give its client ID with ${flagOf("twitchClientId")}.`;

function reasonOf(outcome: Exclude<LinkOutcome, { kind: "linked" }>): string {
  switch (outcome.kind) {
    case "expired":
      return "The code has expired, or was refused. Start again.";
    case "incomplete":
      return "Twitch did not grant all that is needed: reading and writing chat. Start again.";
    case "unknown channel":
      return "Twitch knows no channel of that name. Nothing was linked.";
    case "refused":
      return `Twitch refuses: ${outcome.message}`;
    default:
      return "Twitch does not answer. Nothing was linked. Try again.";
  }
}

/** `marquee chat list USER`. */
function listChats(userName: string): Command {
  return forUser(userName, async ({ accounts, user, print }) => {
    const listed = await accounts.chat.allOf(user.id);
    const rows = listed.map(({ service, login, channel, state }) => [
      ...[service, login, channel, state],
    ]);
    const header = ["SERVICE", "LOGIN", "CHANNEL", "STATE"];
    print(listed.map(documentOf), table([header, ...rows]));
  });
}

/** `marquee chat unlink USER LOGIN`. */
function unlinkChat(userName: string, login: string): Command {
  return forUser(userName, async (execution) => {
    const { user, print, note } = execution;
    const isConfirmed = await linksOf(execution).unlink(user, login);
    print(
      [{ service: "twitch", login: login.toLowerCase(), confirmed: isConfirmed }],
      [`${login} is unlinked.`],
    );
    if (!isConfirmed) note(UNCONFIRMED);
  });
}

const UNCONFIRMED =
  "Twitch has not confirmed it. To be sure, disconnect the application at https://www.twitch.tv/settings/connections.";

function linksOf({ accounts, config }: Execution) {
  const upstream = createTwitchUpstream(systemClock, config, NETWORK);
  const id = createTwitchId({ upstream, idUrl: config.twitchIdUrl });
  const helix = createHelix(upstream, config.twitchApiUrl);
  return createTwitchLinks({ ...accounts, clock: systemClock, id, helix, config });
}

/** What programs read of an account. */
const documentOf = ({ service, login, channel, state }: ChatAccount) => ({
  service,
  login,
  channel,
  state,
});
