import type { Try } from "./delivery.ts";
import { addHook, removeHook, testHook } from "./actions.ts";
import type { HooksFeature } from "./feature.ts";
import type { DamagedHook, Hook } from "./store.ts";
import { docsAddress } from "../addresses.ts";
import { formatTime } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import {
  ActionButton,
  ActionForm,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../dashboard/action-form.tsx";
import { Fold } from "../html/form.tsx";
import type { DashboardRequest } from "../dashboard/request.ts";
import type { Parts } from "../http/parts.ts";
import { Submit, Hint, Status, Titled } from "../html/parts.tsx";

export interface HooksDeps extends Pick<Parts, "accounts"> {
  readonly hooks: Pick<HooksFeature, "triesOf">;
}

/** The programs that songs are sent to. */
export function Hooks({
  accounts,
  hooks,
  request,
}: HooksDeps & { readonly request: DashboardRequest }): JSX.Element {
  const { hooks: t } = request.words.dashboard;
  const all = accounts.hooks.allOf(request.user.id);
  return (
    <Titled title={t.title} id="hooks">
      <p safe>{t.lead}</p>
      {all.length > 0 && (
        <ul class="rows">
          {all.map((hook) => (
            <HookRow
              request={request}
              hook={hook}
              tries={hook.off === "damaged" ? [] : hooks.triesOf(hook)}
            />
          ))}
        </ul>
      )}
      <AddForm request={request} />
    </Titled>
  );
}

interface HookRowProps {
  readonly request: DashboardRequest;
  readonly hook: Hook | DamagedHook;
  readonly tries: readonly Try[];
}

function HookRow({ request, hook, tries }: HookRowProps): JSX.Element {
  const { hooks: t } = request.words.dashboard;
  const { id, off } = hook;
  const name = hook.off === "damaged" ? `#${id}` : (hook.action ?? new URL(hook.url).host);
  return (
    <li>
      <h3 id={`hook-${id}`} safe>
        {name}
      </h3>
      <Status tone={off === null ? "good" : "bad"} text={off === null ? t.on : t.off[off]} />
      {tries.length === 0 ? (
        <Hint text={t.noTries} />
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
    </li>
  );
}

function AddForm({ request }: Pick<HookRowProps, "request">): JSX.Element {
  const { basePath, language, words } = request;
  const { hooks: t } = words.dashboard;
  const form = formOf(request, addHook);
  return (
    <Fold label={t.addTitle} isOpen={form.refused !== undefined}>
      <p>
        <span safe>{t.addText}</span>{" "}
        <a href={docsAddress(basePath, language, "users#what-a-user-may-enter")} safe>
          {words.dashboard.programs.how}
        </a>
      </p>
      <ActionForm form={form}>
        <TextInput form={form} name="url" label={t.address} hint={t.addressHint} />
        <TextInput form={form} name="action" label={t.action} hint={t.actionHint} />
        <Submit label={t.add} />
      </ActionForm>
    </Fold>
  );
}
