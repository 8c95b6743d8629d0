import { addKey, curlLine, revokeKey, rotateKey } from "../key-actions.ts";
import type { KeyRecord } from "../keys.ts";
import { apiAddress } from "../../addresses.ts";
import { fill, formatDay, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { Copyable, Submit, Hint, Status, Titled } from "../../html/parts.tsx";
import {
  ActionForm,
  ChoiceInput,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../../dashboard/action-form.tsx";
import { Confirm, Fold } from "../../html/form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import type { Parts } from "../../http/parts.ts";

export interface KeysProps extends Pick<Parts, "accounts" | "clock"> {
  readonly request: DashboardRequest;
}

/** How long a replaced key may continue to work. */
const GRACES = { now: "0s", hour: "1h", day: "24h" } as const;

/** The API keys that bots and programs use. */
export function ApiKeys({ accounts: { keys }, clock, request }: KeysProps): JSX.Element {
  const { words, user } = request;
  const { keys: t } = words.dashboard;
  const all = keys.list(user);
  const isWorking = ({ revokedAt }: KeyRecord) => revokedAt === null || revokedAt > clock.wallMs();
  const working = all.filter(isWorking);
  const ended = all.filter((key) => !isWorking(key)).toReversed();
  const add = formOf(request, addKey);
  return (
    <Titled title={t.title} id="keys">
      <p safe>{working.length === 0 ? t.none : t.lead}</p>
      <ul class="rows">
        {working.map((key) => (
          <WorkingKey request={request} record={key} />
        ))}
      </ul>
      <div class="row-actions">
        <Fold label={t.addTitle} isOpen={add.refused !== undefined}>
          <ActionForm form={add}>
            <TextInput form={add} name="name" label={t.name} hint={t.nameHint} />
            <Submit label={t.add} />
          </ActionForm>
        </Fold>
        <Fold label={t.useTitle} isOpen={false}>
          <p safe>{fill(t.useText, { placeholder: t.placeholder })}</p>
          <Copyable language={request.language} text={curlLine(request.baseUrl, t.placeholder)} />
          <p>
            <a href={apiAddress(request.basePath, "openapi.json")} safe>
              {words.home.descriptionLink}
            </a>
          </p>
        </Fold>
      </div>
      {ended.length !== 0 && <EndedKeys request={request} records={ended} />}
    </Titled>
  );
}

interface KeyProps {
  readonly request: DashboardRequest;
  readonly record: KeyRecord;
}

function WorkingKey({ request, record }: KeyProps): JSX.Element {
  const { keys: t } = request.words.dashboard;
  const { id, revokedAt } = record;
  const replace = formOf(request, rotateKey, { id });
  return (
    <li class="beside">
      <div>
        <KeyFacts request={request} record={record} />
        {revokedAt !== null && (
          <Status
            tone="warn"
            text={fill(t.endsAt, { time: formatTime(request.language, revokedAt) })}
          />
        )}
      </div>
      <div class="row-actions" role="group" aria-labelledby={`key-${id}`}>
        {revokedAt === null && (
          <Confirm label={t.replace} consequence={t.replaceText}>
            <ActionForm form={replace}>
              <ChoiceInput
                form={replace}
                name="grace"
                label={t.grace}
                value={GRACES.hour}
                options={Object.entries(GRACES).map(([grace, value]) => ({
                  value,
                  label: t.graceOptions[grace as keyof typeof GRACES],
                }))}
              />
              <Submit label={t.replaceDo} />
            </ActionForm>
          </Confirm>
        )}
        <ConfirmedAction
          form={formOf(request, revokeKey, { id })}
          label={t.revoke}
          consequence={t.revokeText}
        />
      </div>
    </li>
  );
}

function KeyFacts({ request, record }: KeyProps): JSX.Element {
  const { keys: t } = request.words.dashboard;
  const { id, name, createdAt, lastUsedAt } = record;
  const facts = [
    fill(t.created, { day: formatDay(request.language, createdAt) }),
    lastUsedAt === null
      ? t.neverUsed
      : fill(t.lastUsed, { time: formatTime(request.language, lastUsedAt) }),
  ];
  return (
    <>
      <h3 id={`key-${id}`} dir="auto" safe>
        {name}
      </h3>
      <p class="facts">
        {[...facts, fill(t.id, { id })].map((fact) => (
          <span safe>{fact}</span>
        ))}
      </p>
    </>
  );
}

function EndedKeys(props: {
  request: DashboardRequest;
  records: readonly KeyRecord[];
}): JSX.Element {
  const { request, records } = props;
  const { keys: t } = request.words.dashboard;
  return (
    <details>
      <summary safe>{fill(t.ended, { count: String(records.length) })}</summary>
      <ul class="rows">
        {records.map((record) => (
          <li>
            <KeyFacts request={request} record={record} />
            <Hint
              text={fill(t.endedAt, { time: formatTime(request.language, record.revokedAt ?? 0) })}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}
