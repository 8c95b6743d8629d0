import type { Accounts } from "../../accounts/accounts.ts";
import { outputAddress, pageAddress } from "../../addresses.ts";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { attribute } from "../../html/attribute.ts";
import { HiddenCopyable, LinkButton, Submit, Titled } from "../../html/parts.tsx";
import { pathTo } from "../../html/section-paths.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { addWidget } from "../../looks/actions.ts";
import { freeName } from "../../looks/free-name.ts";
import { UnreadableAddress } from "../../looks/page/unreadable-address.tsx";
import type { Widget } from "../../looks/widgets.ts";
import { type Bot, bots } from "../../outputs/bots.ts";
import { reachOf } from "../../outputs/reach.ts";
import { queryOfWay } from "./ways.tsx";

/** A text with the address at which bots read it; `undefined` for one that is damaged. */
interface ReadText {
  readonly widget: Widget;
  readonly address: string | undefined;
}

/** The user's texts for bots. */
export function textsOf(
  { widgets }: Pick<Accounts, "widgets">,
  { user, baseUrl, language }: DashboardRequest,
): readonly ReadText[] {
  const texts = widgets.allOf(user).filter(({ kind }) => kind === "text");
  return texts.map((widget) => {
    const token = widgets.readableTokenOf(user, widget.id);
    const address = token && outputAddress(baseUrl, widget.language ?? language, "text", token);
    return { widget, address };
  });
}

/** What a chat asks, and what is added to the address for its answer. */
const QUESTIONS = { "!song": "", "!lastsong": "?back=1" } as const;

/** The bot that the address names; without one, a bot that can reach this server. */
function chosenBot({ query, baseUrl }: DashboardRequest): Bot | undefined {
  const named = query.get("bot");
  if (named === "other") return undefined;
  const place = reachOf(baseUrl) === "public" ? "hosted" : "local";
  return bots.find(({ id }) => id === named) ?? bots.find((bot) => bot.place === place);
}

const queryOfBot = (bot: Bot | undefined): string =>
  `${queryOfWay("bot")}&bot=${bot?.id ?? "other"}`;

interface WithBotProps {
  readonly request: DashboardRequest;
  readonly texts: readonly ReadText[];
}

/** A bot, and what to enter in it for each text. */
export function WithBot({ request, texts }: WithBotProps): JSX.Element {
  const { bot: t } = request.words.dashboard.chat;
  const chosen = chosenBot(request);
  const path = pathTo(request, "chat");
  const reach = reachOf(request.baseUrl);
  return (
    <Titled title={t.which} class="chat-bots">
      <nav class="bot-names" aria-label={t.which}>
        {[...bots, undefined].map((bot) => (
          <a
            href={attribute(`${path}?${queryOfBot(bot)}`)}
            {...(bot?.id === chosen?.id && { "aria-current": "true" })}
            safe
          >
            {bot?.name ?? t.other}
          </a>
        ))}
      </nav>
      {chosen?.place === "hosted" && reach !== "public" ? (
        <OutOfReach request={request} bot={chosen} why={reach} />
      ) : (
        <Texts request={request} texts={texts} bot={chosen} />
      )}
    </Titled>
  );
}

interface OutOfReachProps {
  readonly request: DashboardRequest;
  readonly bot: Bot;
  readonly why: "local" | "not https";
}

/** Shown in place of what to enter in a bot that cannot ask this server. */
function OutOfReach({ request, bot, why }: OutOfReachProps): JSX.Element {
  const { basePath, language, words } = request;
  const { bot: t } = words.dashboard.chat;
  return (
    <div class="out-of-reach">
      <h3 safe>{t.byItself}</h3>
      <p safe>{fill(t.unreachable[why], { bot: bot.name })}</p>
      <p class="actions">
        <LinkButton
          label={words.dashboard.chat.ways.twitch.title}
          href={`${pathTo(request, "chat")}?${queryOfWay("twitch")}`}
          isMain
        />
        <LinkButton label={t.reach} href={pageAddress(basePath, language, "docs/reach")} />
      </p>
    </div>
  );
}

function Texts({
  request,
  texts,
  bot,
}: WithBotProps & { readonly bot: Bot | undefined }): JSX.Element {
  const { bot: t } = request.words.dashboard.chat;
  const names = texts.map(({ widget }) => widget.name);
  const isFirst = texts.length === 0;
  const form = formOf(request, addWidget, { kind: "text", name: freeName(t.textName, names) });
  return (
    <>
      {!isFirst && <p safe>{howTo(request, bot)}</p>}
      <ul class="rows">
        {texts.map((text) => (
          <TextRow request={request} text={text} bot={bot} />
        ))}
      </ul>
      <ActionForm form={form} class="" at={queryOfBot(bot)}>
        <Submit label={isFirst ? t.make : t.more} {...(!isFirst && { class: "quiet" })} />
      </ActionForm>
    </>
  );
}

function howTo({ words }: DashboardRequest, bot: Bot | undefined): string {
  const { bot: t } = words.dashboard.chat;
  if (!bot) return t.enterAddress;
  const fields: Readonly<Record<string, string>> = t.fields;
  return fields[bot.id] ?? fill(t.enter, { bot: bot.name });
}

interface TextRowProps {
  readonly request: DashboardRequest;
  readonly text: ReadText;
  readonly bot: Bot | undefined;
}

function TextRow({ request, text: { widget, address }, bot }: TextRowProps): JSX.Element {
  const { language, words } = request;
  const { bot: t } = words.dashboard.chat;
  const editor = `${pathTo(request, "widget")}?id=${widget.id}`;
  return (
    <li>
      <div class="beside">
        <h3 dir="auto" safe>
          {widget.name}
        </h3>
        <a href={editor} aria-label={attribute(`${t.change}: ${widget.name}`)} safe>
          {t.change}
        </a>
      </div>
      {address === undefined ? (
        <UnreadableAddress request={request} widget={widget} at={queryOfBot(bot)} />
      ) : (
        <dl class="bot-commands">
          {Object.entries(QUESTIONS).map(([question, query]) => (
            <div>
              <dt safe>{question}</dt>
              <dd>
                <HiddenCopyable
                  language={language}
                  label={`${widget.name}, ${question}`}
                  text={bot ? bot.commandFor(address + query) : address + query}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
