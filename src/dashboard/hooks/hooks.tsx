import { AccountError } from "../../accounts/context.ts";
import { LONGEST_KEY_NAME, readKeyName } from "../../accounts/key-name.ts";
import { UnlistedHostError } from "../../hooks/address.ts";
import type { HooksFeature } from "../../hooks/feature.ts";
import { isTaken, type Try } from "../../hooks/delivery.ts";
import { fieldOf, targetIdOf } from "../../http/form-field.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import {
  type DamagedHook,
  type Hook,
  HOOK_EVENTS,
  MOST_HOOKS,
  SameAddressError,
} from "../../music/hooks.ts";
import { LONGEST_ADDRESS } from "../../text-limits.ts";
import { ActionButton, ConfirmedAction, Field, Form } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import type { DashboardRequest, Notice, Section } from "../request.ts";
import type { Parts } from "../../http/parts.ts";

export interface HooksSectionDeps extends Pick<Parts, "accounts"> {
  readonly hooks: Pick<HooksFeature, "addressOf" | "triesOf" | "test">;
}

/** What was typed into the form and refused. */
interface Refused {
  readonly url: string;
  readonly action: string;
  readonly mistakes: { readonly url?: string; readonly action?: string };
}

/** The page of the programs that songs are sent to. */
export function createSection({ accounts, hooks }: HooksSectionDeps): Section {
  const page = async (request: DashboardRequest, refused?: Refused): Promise<Response> => {
    const { words, user } = request;
    const { hooks: t } = words.dashboard;
    const all = await accounts.hooks.allOf(user.id);
    return dashboardPage(
      {
        request,
        title: words.dashboard.sections.hooks,
        lead: t.lead,
        children: (
          <>
            {all.map((hook) => (
              <HookCard
                request={request}
                hook={hook}
                tries={hook.off === "damaged" ? [] : hooks.triesOf(hook)}
              />
            ))}
            <AddForm request={request} refused={refused} />
          </>
        ),
      },
      refused ? 422 : 200,
    );
  };

  const add = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { user, words } = request;
    const { hooks: t } = words.dashboard;
    const typed = { url: fieldOf(form, "url"), action: fieldOf(form, "action") };
    const refuse = (mistakes: Refused["mistakes"]) => page(request, { ...typed, mistakes });
    const action = typed.action === "" ? null : readKeyName(typed.action);
    if (action === undefined) {
      const most = String(LONGEST_KEY_NAME);
      return refuse({ action: fill(words.dashboard.keys.nameWrong, { most }) });
    }
    let address: string;
    try {
      address = hooks.addressOf(typed.url, user);
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      const mistake =
        error instanceof UnlistedHostError
          ? fill(words.dashboard.music.hostRefused, { host: error.host })
          : t.addressWrong;
      return refuse({ url: mistake });
    }
    if ((await accounts.hooks.allOf(user.id)).length >= MOST_HOOKS) {
      return { tone: "bad", text: fill(t.tooMany, { most: String(MOST_HOOKS) }) };
    }
    const settings = { url: address, events: HOOK_EVENTS, action };
    const hook = await accounts.hooks.add(user, settings).catch((error: unknown) => {
      if (error instanceof SameAddressError) return undefined;
      throw error;
    });
    if (!hook) return refuse({ url: t.addressTaken });
    return {
      tone: "good",
      text: t.added,
      ...(action === null && { shownOnce: [{ label: t.secret, value: hook.secret }] }),
    };
  };

  const test = async ({ user, words }: DashboardRequest, id: number): Promise<Notice> => {
    const { hooks: t } = words.dashboard;
    const hook = (await accounts.hooks.allOf(user.id)).find((one) => one.id === id);
    if (!hook) return { tone: "bad", text: t.gone };
    if (hook.off === "damaged") return { tone: "bad", text: t.off.damaged };
    const status = await hooks.test(hook);
    if (status === "too soon") return { tone: "bad", text: t.testTooSoon };
    const text = status === null ? t.testLost : fill(t.tested, { status: String(status) });
    return { tone: isTaken(status) ? "good" : "bad", text };
  };

  return {
    show: (request) => page(request),
    async act(request, form) {
      const id = targetIdOf(form);
      const { hooks: t } = request.words.dashboard;
      switch (fieldOf(form, "do")) {
        case "add":
          return add(request, form);
        case "test":
          return test(request, id);
        case "remove":
          try {
            await accounts.hooks.remove(request.user, id);
            return { tone: "good", text: t.removed };
          } catch (error) {
            if (!(error instanceof AccountError)) throw error;
            return { tone: "bad", text: t.gone };
          }
        default:
          return page(request);
      }
    },
  };
}

interface HookCardProps {
  readonly request: DashboardRequest;
  readonly hook: Hook | DamagedHook;
  readonly tries: readonly Try[];
}

function HookCard({ request, hook, tries }: HookCardProps): JSX.Element {
  const { hooks: t } = request.words.dashboard;
  const { id, off } = hook;
  const name = hook.off === "damaged" ? `#${id}` : (hook.action ?? new URL(hook.url).host);
  return (
    <section>
      <h2 id={`hook-${id}`} safe>
        {name}
      </h2>
      <p class={`status ${off === null ? "good" : "bad"}`} safe>
        {off === null ? t.on : t.off[off]}
      </p>
      {tries.length === 0 ? (
        <p class="hint" safe>
          {t.noTries}
        </p>
      ) : (
        <ul class="tries">
          {tries.map(({ at, event, status }) => (
            <li safe>
              {[formatTime(request.language, at), event, status ?? t.noAnswer].join(" · ")}
            </li>
          ))}
        </ul>
      )}
      <div class="row-actions" role="group" aria-labelledby={`hook-${id}`}>
        {off !== "damaged" && (
          <ActionButton request={request} action="test" target={String(id)} label={t.test} />
        )}
        <ConfirmedAction
          request={request}
          action="remove"
          target={String(id)}
          label={t.remove}
          consequence={t.removeText}
        />
      </div>
    </section>
  );
}

interface AddFormProps {
  readonly request: DashboardRequest;
  readonly refused: Refused | undefined;
}

function AddForm({ request, refused }: AddFormProps): JSX.Element {
  const { hooks: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.addTitle}</h2>
      <p safe>{t.addText}</p>
      <Form request={request} action="add">
        <>
          <Field
            id="url"
            label={t.address}
            hint={t.addressHint}
            value={refused?.url}
            mistake={refused?.mistakes.url}
            maxlength={LONGEST_ADDRESS}
            required
          />
          <Field
            id="action"
            label={t.action}
            hint={t.actionHint}
            value={refused?.action}
            mistake={refused?.mistakes.action}
            maxlength={LONGEST_KEY_NAME}
          />
          <button type="submit" safe>
            {t.add}
          </button>
        </>
      </Form>
    </section>
  );
}
