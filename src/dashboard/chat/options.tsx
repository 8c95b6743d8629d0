import type { ChatAccount } from "../../accounts/chat-accounts.ts";
import {
  ANNOUNCE_EVERY_S,
  ASKING_BADGES,
  type ChatOptions,
  MOST_WORDS,
  QUIET_S,
  readChatOptions,
  secondsIn,
  wordsIn,
  LONGEST_WORDS,
} from "../../chat/options.ts";
import { fieldOf } from "../../http/form-field.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { Field, Fold, Form, Ticked } from "../form.tsx";
import type { DashboardRequest } from "../request.ts";

type Mistakes = Partial<Record<"words" | "quietS" | "announceEveryS", string>>;

/** A form that was sent back, as it was typed. */
export interface TypedOptions {
  readonly accountId: number;
  readonly options: Omit<ChatOptions, "words" | "quietS" | "announceEveryS">;
  readonly words: string;
  readonly quietS: string;
  readonly announceEveryS: string;
  readonly mistakes: Mistakes;
}

/** Reads the form. What is wrong is said at its field, and then nothing is stored. */
export function readOptionsForm(
  { words }: DashboardRequest,
  { id }: ChatAccount,
  form: FormData,
): { readonly options: ChatOptions } | { readonly typed: TypedOptions } {
  const { options: t } = words.dashboard.chat;
  const isOn = (name: string) => fieldOf(form, name) === "1";
  const badges = form.getAll("badges");
  const ticked = {
    answersLast: isOn("answersLast"),
    badges: ASKING_BADGES.filter((badge) => badges.includes(badge)),
    replies: isOn("replies"),
    shows: isOn("shows"),
    announces: isOn("announces"),
  };
  const typed = {
    words: fieldOf(form, "words"),
    quietS: fieldOf(form, "quietS"),
    announceEveryS: fieldOf(form, "announceEveryS"),
  };
  const asked = wordsIn(typed.words);
  const quietS = secondsIn(typed.quietS, QUIET_S);
  const announceEveryS = secondsIn(typed.announceEveryS, ANNOUNCE_EVERY_S);
  if (asked && quietS !== undefined && announceEveryS !== undefined) {
    return { options: { ...ticked, words: asked, quietS, announceEveryS } };
  }
  const wrongSeconds = ({ least, most }: typeof QUIET_S | typeof ANNOUNCE_EVERY_S) =>
    fill(t.secondsWrong, { least: String(least), most: String(most) });
  const mistakes: Mistakes = {
    ...(!asked && { words: fill(t.wordsWrong, { most: String(MOST_WORDS) }) }),
    ...(quietS === undefined && { quietS: wrongSeconds(QUIET_S) }),
    ...(announceEveryS === undefined && { announceEveryS: wrongSeconds(ANNOUNCE_EVERY_S) }),
  };
  return { typed: { accountId: id, options: ticked, ...typed, mistakes } };
}

function storedOptions({ id, options: stored }: ChatAccount): TypedOptions {
  const { words, quietS, announceEveryS, ...options } = readChatOptions(stored);
  return {
    ...{ accountId: id, options, mistakes: {} },
    words: words.join(" "),
    quietS: String(quietS),
    announceEveryS: String(announceEveryS),
  };
}

export interface ChatOptionsFormProps {
  readonly request: DashboardRequest;
  readonly account: ChatAccount;
  /** What was sent and is wrong, if it is this account's. */
  readonly typed: TypedOptions | undefined;
}

/** How an account answers, folded away. */
export function ChatOptionsForm({ request, account, typed }: ChatOptionsFormProps): JSX.Element {
  const { options: t } = request.words.dashboard.chat;
  const shown = typed ?? storedOptions(account);
  const { options, mistakes } = shown;
  const idOf = (name: string) => `${name}-${account.id}`;
  const ticked = (name: "answersLast" | "replies" | "shows" | "announces", hint?: string) => (
    <Ticked
      id={idOf(name)}
      name={name}
      label={t[name]}
      isOn={options[name]}
      {...(hint !== undefined && { hint })}
    />
  );
  const field = (name: "words" | "quietS" | "announceEveryS", hint?: string) => (
    <Field
      id={idOf(name)}
      name={name}
      label={t[name]}
      value={shown[name]}
      hint={hint}
      mistake={mistakes[name]}
      maxlength={LONGEST_WORDS}
    />
  );
  return (
    <Fold label={t.title} isOpen={typed !== undefined}>
      <Form request={request} action="options" target={account.login}>
        <>
          {field("words", fill(t.wordsHint, { most: String(MOST_WORDS) }))}
          {ticked("answersLast")}
          <fieldset>
            <legend safe>{t.badges}</legend>
            <p class="hint" safe>
              {t.badgesHint}
            </p>
            {ASKING_BADGES.map((badge) => (
              <Ticked
                id={idOf(badge)}
                name="badges"
                value={badge}
                label={t.badgeNames[badge]}
                isOn={options.badges.includes(badge)}
              />
            ))}
          </fieldset>
          {ticked("replies")}
          {field("quietS", t.quietHint)}
          {ticked("shows", t.showsHint)}
          {ticked("announces", t.announcesHint)}
          {field("announceEveryS")}
          <button type="submit" safe>
            {t.save}
          </button>
        </>
      </Form>
    </Fold>
  );
}
