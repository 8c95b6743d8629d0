import type { Accounts } from "../../accounts/accounts.ts";
import { AccountError } from "../../accounts/context.ts";
import type { ApiKey } from "../../accounts/credential.ts";
import { LONGEST_KEY_NAME, readKeyName } from "../../accounts/key-name.ts";
import { type KeyRecord, MOST_WORKING_KEYS, TooManyKeysError } from "../../accounts/keys.ts";
import type { Clock } from "../../clock.ts";
import { fill, formatDay, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { fieldOf } from "../../http/form-field.ts";
import { Copyable } from "../parts.tsx";
import { Choice, Confirm, Field, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import type { Notice, Section, Visit } from "./request.ts";

export interface KeysDeps {
  readonly accounts: Pick<Accounts, "keys">;
  readonly clock: Pick<Clock, "wallMs">;
}

/** How long a replaced key may go on working. */
const GRACES_MS = { now: 0, hour: 3_600_000, day: 86_400_000 } as const;
type Grace = keyof typeof GRACES_MS;
const GRACES: readonly Grace[] = ["now", "hour", "day"];

/** A name that was typed and cannot be used. */
interface RefusedName {
  readonly typed: string;
}

/** The keys that bots and programs ask with. */
export function createKeys({ accounts, clock }: KeysDeps): Section {
  const { keys } = accounts;

  const page = async (visit: Visit, refused?: RefusedName): Promise<Response> => {
    const { words, user } = visit;
    const { keys: said } = words.dashboard;
    const nameWrong = fill(said.nameWrong, { most: String(LONGEST_KEY_NAME) });
    // Uses are written once in a while, and this page is to be right.
    keys.flushUses();
    const all = await keys.list(user);
    const isWorking = ({ revokedAt }: KeyRecord) =>
      revokedAt === null || revokedAt > clock.wallMs();
    const working = all.filter(isWorking);
    const ended = all.filter((key) => !isWorking(key)).toReversed();
    return dashboardPage(
      {
        visit,
        title: words.dashboard.sections.keys,
        lead: said.lead,
        ...(refused && { notice: { tone: "bad", text: nameWrong } }),
        children: (
          <>
            <section>
              <h2 safe>{said.working}</h2>
              {working.length === 0 ? <p safe>{said.none}</p> : ""}
              <ul class="rows">
                {working.map((key) => (
                  <WorkingKey visit={visit} record={key} />
                ))}
              </ul>
              {ended.length === 0 ? "" : <EndedKeys visit={visit} records={ended} />}
            </section>
            <section>
              <h2 safe>{said.addTitle}</h2>
              <Form visit={visit} does="add">
                <>
                  <Field
                    id="name"
                    label={said.name}
                    hint={said.nameHint}
                    value={refused?.typed}
                    mistake={refused && nameWrong}
                    required
                  />
                  <button type="submit" safe>
                    {said.add}
                  </button>
                </>
              </Form>
            </section>
            <section>
              <h2 safe>{said.useTitle}</h2>
              <p safe>{fill(said.useText, { placeholder: said.placeholder })}</p>
              <Copyable language={visit.language} text={curlLine(visit, said.placeholder)} />
              <p>
                <a href={`${visit.basePath}/api/v1/openapi.json`} safe>
                  {words.home.descriptionLink}
                </a>
              </p>
            </section>
          </>
        ),
      },
      refused ? 422 : 200,
    );
  };

  const add = async (visit: Visit, form: FormData): Promise<Notice | Response> => {
    const typed = fieldOf(form, "name");
    const name = readKeyName(typed);
    if (name === undefined) return page(visit, { typed });
    const { key } = await keys.add(visit.user, name);
    const { added } = visit.words.dashboard.keys;
    return { tone: "good", text: fill(added, { name }), shownOnce: shownOnce(visit, key) };
  };

  const replace = async (visit: Visit, form: FormData): Promise<Notice> => {
    const { keys: said } = visit.words.dashboard;
    const chosen = fieldOf(form, "grace");
    const grace = GRACES.find((one) => one === chosen) ?? "now";
    const id = fieldOf(form, "target");
    const { key } = await keys.rotate(visit.user, id, GRACES_MS[grace]);
    const old = (await keys.list(visit.user)).find((one) => one.id === id);
    const endsAt = old?.revokedAt ?? clock.wallMs();
    const name = old?.name ?? "";
    return {
      tone: "good",
      text:
        endsAt > clock.wallMs()
          ? fill(said.replacedUntil, { name, time: formatTime(visit.language, endsAt) })
          : fill(said.replaced, { name }),
      shownOnce: shownOnce(visit, key),
    };
  };

  /** Asked for by the API's reference, which fills the key in or shows what is wrong. */
  const addToTry = async (visit: Visit): Promise<Response> => {
    const headers = { "Cache-Control": "no-store" };
    try {
      const { key } = await keys.add(visit.user, visit.words.reference.title);
      return Response.json({ api_key: key }, { headers });
    } catch (error) {
      if (!(error instanceof TooManyKeysError)) throw error;
      return Response.json({ error: tooMany(visit) }, { status: 409, headers });
    }
  };

  const revoke = async (visit: Visit, form: FormData): Promise<Notice> => {
    const id = fieldOf(form, "target");
    await keys.revoke(visit.user, id);
    const name = (await keys.list(visit.user)).find((one) => one.id === id)?.name ?? "";
    return { tone: "good", text: fill(visit.words.dashboard.keys.revoked, { name }) };
  };

  return {
    show: (visit) => page(visit),
    async act(visit, form) {
      try {
        switch (fieldOf(form, "does")) {
          case "try":
            return await addToTry(visit);
          case "add":
            return await add(visit, form);
          case "replace":
            return await replace(visit, form);
          case "revoke":
            return await revoke(visit, form);
          default:
            return await page(visit);
        }
      } catch (error) {
        // Their messages are for the command line.
        if (error instanceof TooManyKeysError) return { tone: "bad", text: tooMany(visit) };
        if (!(error instanceof AccountError)) throw error;
        return { tone: "bad", text: visit.words.dashboard.keys.gone };
      }
    },
  };
}

interface KeyProps {
  readonly visit: Visit;
  readonly record: KeyRecord;
}

function WorkingKey({ visit, record }: KeyProps): JSX.Element {
  const { keys: said } = visit.words.dashboard;
  const { id, revokedAt } = record;
  return (
    <li>
      <KeyFacts visit={visit} record={record} />
      {revokedAt === null ? (
        ""
      ) : (
        <p class="status warn" safe>
          {fill(said.endsAt, { time: formatTime(visit.language, revokedAt) })}
        </p>
      )}
      <div class="row-actions" role="group" aria-labelledby={`key-${id}`}>
        {revokedAt === null ? (
          <Confirm label={said.replace} consequence={said.replaceText}>
            <Form visit={visit} does="replace" target={id}>
              <>
                <Choice
                  id={`grace-${id}`}
                  name="grace"
                  label={said.grace}
                  chosen="hour"
                  options={GRACES.map((value) => ({ value, label: said.graceOptions[value] }))}
                />
                <button type="submit" safe>
                  {said.replaceDo}
                </button>
              </>
            </Form>
          </Confirm>
        ) : (
          ""
        )}
        <Confirm label={said.revoke} consequence={said.revokeText}>
          <Form visit={visit} does="revoke" target={id}>
            <button type="submit" class="bad" safe>
              {said.revoke}
            </button>
          </Form>
        </Confirm>
      </div>
    </li>
  );
}

function KeyFacts({ visit, record }: KeyProps): JSX.Element {
  const { keys: said } = visit.words.dashboard;
  const { id, name, createdAt, lastUsedAt } = record;
  const facts = [
    fill(said.created, { day: formatDay(visit.language, createdAt) }),
    lastUsedAt === null
      ? said.neverUsed
      : fill(said.lastUsed, { time: formatTime(visit.language, lastUsedAt) }),
  ];
  return (
    <>
      <h3 id={`key-${id}`} dir="auto" safe>
        {name}
      </h3>
      <p class="facts">
        {[...facts, fill(said.id, { id })].map((fact) => (
          <span safe>{fact}</span>
        ))}
      </p>
    </>
  );
}

function EndedKeys(props: { visit: Visit; records: readonly KeyRecord[] }): JSX.Element {
  const { visit, records } = props;
  const { keys: said } = visit.words.dashboard;
  return (
    <details>
      <summary safe>{fill(said.ended, { count: String(records.length) })}</summary>
      <ul class="rows">
        {records.map((record) => (
          <li>
            <KeyFacts visit={visit} record={record} />
            <p class="hint" safe>
              {fill(said.endedAt, { time: formatTime(visit.language, record.revokedAt ?? 0) })}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

const tooMany = ({ words }: Visit): string =>
  fill(words.dashboard.keys.tooMany, { count: String(MOST_WORKING_KEYS) });

/** The key, and a line that asks with it. */
function shownOnce(visit: Visit, key: ApiKey): NonNullable<Notice["shownOnce"]> {
  const { keys: said } = visit.words.dashboard;
  return [
    { label: said.newKey, value: key },
    { label: said.tryIt, value: curlLine(visit, key) },
  ];
}

/** Asks what is playing, from a terminal. */
const curlLine = ({ baseUrl }: Visit, key: string): string =>
  `curl -H 'X-Api-Key: ${key}' ${baseUrl}/api/v1/now-playing`;
