import { AccountError } from "../../accounts/context.ts";
import type { ApiKey } from "../../accounts/credential.ts";
import { LONGEST_KEY_NAME, readKeyName } from "../../accounts/key-name.ts";
import { type KeyRecord, MOST_WORKING_KEYS, TooManyKeysError } from "../../accounts/keys.ts";
import { apiAddress } from "../../addresses.ts";
import { fill, formatDay, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { fieldOf } from "../../http/form-field.ts";
import { Copyable } from "../../html/parts.tsx";
import { Choice, Confirm, ConfirmedAction, Form, TextForm } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import type { Notice, Section, DashboardRequest } from "../request.ts";
import type { Parts } from "../../http/parts.ts";

export type KeysDeps = Pick<Parts, "accounts" | "clock">;

/** How long a replaced key may continue to work. */
const GRACES_MS = { now: 0, hour: 3_600_000, day: 86_400_000 } as const;
type Grace = keyof typeof GRACES_MS;
const GRACES: readonly Grace[] = ["now", "hour", "day"];

/** A typed name that is not valid. */
interface RefusedName {
  readonly typed: string;
}

/** The page of the API keys that bots and programs use. */
export function createSection(deps: KeysDeps): Section {
  const {
    accounts: { keys },
    clock,
  } = deps;
  const page = (request: DashboardRequest, refused?: RefusedName) =>
    keysPage(deps, request, refused);

  const add = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const typed = fieldOf(form, "name");
    const name = readKeyName(typed);
    if (name === undefined) return page(request, { typed });
    const { key } = await keys.add(request.user, name);
    const { added } = request.words.dashboard.keys;
    return { tone: "good", text: fill(added, { name }), shownOnce: shownOnce(request, key) };
  };

  const replace = async (request: DashboardRequest, form: FormData): Promise<Notice> => {
    const { keys: t } = request.words.dashboard;
    const chosen = fieldOf(form, "grace");
    const grace = GRACES.find((one) => one === chosen) ?? "now";
    const id = fieldOf(form, "target");
    const { key } = await keys.rotate(request.user, id, GRACES_MS[grace]);
    const old = keys.list(request.user).find((one) => one.id === id);
    const endsAt = old?.revokedAt ?? clock.wallMs();
    const name = old?.name ?? "";
    return {
      tone: "good",
      text:
        endsAt > clock.wallMs()
          ? fill(t.replacedUntil, { name, time: formatTime(request.language, endsAt) })
          : fill(t.replaced, { name }),
      shownOnce: shownOnce(request, key),
    };
  };

  /** Requested by the API reference page, which fills the key in or shows the error. */
  const addToTry = async (request: DashboardRequest): Promise<Response> => {
    const headers = { "Cache-Control": "no-store" };
    try {
      const { key } = await keys.add(request.user, request.words.reference.title);
      return Response.json({ api_key: key }, { headers });
    } catch (error) {
      if (!(error instanceof TooManyKeysError)) throw error;
      return Response.json({ error: tooMany(request) }, { status: 409, headers });
    }
  };

  const revoke = async (request: DashboardRequest, form: FormData): Promise<Notice> => {
    const id = fieldOf(form, "target");
    await keys.revoke(request.user, id);
    const name = keys.list(request.user).find((one) => one.id === id)?.name ?? "";
    return { tone: "good", text: fill(request.words.dashboard.keys.revoked, { name }) };
  };

  return {
    show: (request) => page(request),
    async act(request, form) {
      try {
        switch (fieldOf(form, "do")) {
          case "try":
            return await addToTry(request);
          case "add":
            return await add(request, form);
          case "replace":
            return await replace(request, form);
          case "revoke":
            return await revoke(request, form);
          default:
            return await page(request);
        }
      } catch (error) {
        // The messages of these errors are written for the command line.
        if (error instanceof TooManyKeysError) return { tone: "bad", text: tooMany(request) };
        if (!(error instanceof AccountError)) throw error;
        return { tone: "bad", text: request.words.dashboard.keys.gone };
      }
    },
  };
}

/** The page with the user's keys, and with the name that was refused. */
async function keysPage(
  { accounts: { keys }, clock }: KeysDeps,
  request: DashboardRequest,
  refused?: RefusedName,
): Promise<Response> {
  const { words, user } = request;
  const { keys: t } = words.dashboard;
  const nameWrong = fill(t.nameWrong, { most: String(LONGEST_KEY_NAME) });
  // Uses are written only from time to time, and this page must show the latest.
  try {
    keys.flushUses();
  } catch {
    // What cannot be stored now is tried again; what is stored can be read.
  }
  const all = keys.list(user);
  const isWorking = ({ revokedAt }: KeyRecord) => revokedAt === null || revokedAt > clock.wallMs();
  const working = all.filter(isWorking);
  const ended = all.filter((key) => !isWorking(key)).toReversed();
  return dashboardPage(
    {
      request,
      title: words.dashboard.sections.keys,
      lead: t.lead,
      notice: refused && { tone: "bad", text: nameWrong },
      children: (
        <>
          <section>
            <h2 safe>{t.working}</h2>
            {working.length === 0 && <p safe>{t.none}</p>}
            <ul class="rows">
              {working.map((key) => (
                <WorkingKey request={request} record={key} />
              ))}
            </ul>
            {ended.length !== 0 && <EndedKeys request={request} records={ended} />}
          </section>
          <section>
            <h2 safe>{t.addTitle}</h2>
            <TextForm
              request={request}
              action="add"
              go={t.add}
              id="name"
              label={t.name}
              hint={t.nameHint}
              value={refused?.typed}
              mistake={refused && nameWrong}
              required
            />
          </section>
          <section>
            <h2 safe>{t.useTitle}</h2>
            <p safe>{fill(t.useText, { placeholder: t.placeholder })}</p>
            <Copyable language={request.language} text={curlLine(request, t.placeholder)} />
            <p>
              <a href={apiAddress(request.basePath, "openapi.json")} safe>
                {words.home.descriptionLink}
              </a>
            </p>
          </section>
        </>
      ),
    },
    refused ? 422 : 200,
  );
}

interface KeyProps {
  readonly request: DashboardRequest;
  readonly record: KeyRecord;
}

function WorkingKey({ request, record }: KeyProps): JSX.Element {
  const { keys: t } = request.words.dashboard;
  const { id, revokedAt } = record;
  return (
    <li>
      <KeyFacts request={request} record={record} />
      {revokedAt !== null && (
        <p class="status warn" safe>
          {fill(t.endsAt, { time: formatTime(request.language, revokedAt) })}
        </p>
      )}
      <div class="row-actions" role="group" aria-labelledby={`key-${id}`}>
        {revokedAt === null && (
          <Confirm label={t.replace} consequence={t.replaceText}>
            <Form request={request} action="replace" target={id}>
              <>
                <Choice
                  id={`grace-${id}`}
                  name="grace"
                  label={t.grace}
                  chosen="hour"
                  options={GRACES.map((value) => ({ value, label: t.graceOptions[value] }))}
                />
                <button type="submit" safe>
                  {t.replaceDo}
                </button>
              </>
            </Form>
          </Confirm>
        )}
        <ConfirmedAction
          request={request}
          action="revoke"
          target={id}
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
            <p class="hint" safe>
              {fill(t.endedAt, { time: formatTime(request.language, record.revokedAt ?? 0) })}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

const tooMany = ({ words }: DashboardRequest): string =>
  fill(words.dashboard.keys.tooMany, { count: String(MOST_WORKING_KEYS) });

/** The key, and a command that uses it. */
function shownOnce(request: DashboardRequest, key: ApiKey): NonNullable<Notice["shownOnce"]> {
  const { keys: t } = request.words.dashboard;
  return [
    { label: t.newKey, value: key },
    { label: t.tryIt, value: curlLine(request, key) },
  ];
}

/** The command that gets the current track, for a terminal. */
const curlLine = ({ baseUrl }: DashboardRequest, key: string): string =>
  `curl -H 'X-Api-Key: ${key}' ${apiAddress(baseUrl, "now-playing")}`;
