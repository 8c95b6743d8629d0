import type { Try } from "./delivery.ts";
import { addHook, removeHook, testHook } from "./actions.ts";
import type { HooksFeature } from "./feature.ts";
import type { DamagedHook, Hook } from "./store.ts";
import { formatTime } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import {
  ActionButton,
  ActionForm,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../dashboard/action-form.tsx";
import type { DashboardRequest } from "../dashboard/request.ts";
import type { Parts } from "../http/parts.ts";

export interface HooksDeps extends Pick<Parts, "accounts"> {
  readonly hooks: Pick<HooksFeature, "triesOf">;
}

/** The programs that songs are sent to. */
export async function Hooks({
  accounts,
  hooks,
  request,
}: HooksDeps & { readonly request: DashboardRequest }): Promise<JSX.Element> {
  const all = await accounts.hooks.allOf(request.user.id);
  return (
    <>
      {all.map((hook) => (
        <HookCard
          request={request}
          hook={hook}
          tries={hook.off === "damaged" ? [] : hooks.triesOf(hook)}
        />
      ))}
      <AddForm request={request} />
    </>
  );
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
          <ActionButton form={formOf(request, testHook, { id })} label={t.test} />
        )}
        <ConfirmedAction
          form={formOf(request, removeHook, { id })}
          label={t.remove}
          consequence={t.removeText}
        />
      </div>
    </section>
  );
}

function AddForm({ request }: Pick<HookCardProps, "request">): JSX.Element {
  const { hooks: t } = request.words.dashboard;
  const form = formOf(request, addHook);
  return (
    <section>
      <h2 safe>{t.addTitle}</h2>
      <p safe>{t.addText}</p>
      <ActionForm form={form}>
        <>
          <TextInput form={form} name="url" label={t.address} hint={t.addressHint} />
          <TextInput form={form} name="action" label={t.action} hint={t.actionHint} />
          <button type="submit" safe>
            {t.add}
          </button>
        </>
      </ActionForm>
    </section>
  );
}
