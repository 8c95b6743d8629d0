import type { Texts } from "../../actions/action.ts";
import { givenIn } from "../../actions/inputs.ts";
import { readInputs } from "../../actions/run.ts";
import { fieldOf } from "../../http/form-field.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { ActionForm, formOf, LinesInput, textsIn } from "../../dashboard/action-form.tsx";
import { IN_SIGHT } from "../../html/form.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import { type DashboardRequest, type Section, withRefused } from "../../dashboard/request.ts";
import type { Parts } from "../../http/parts.ts";
import { pauseSharing, resumeSharing, setPrivacyRules } from "../privacy-actions.ts";
import { hidesTrack, NOTHING_HIDDEN, type PrivacyRules, UNTIL_RESUMED } from "../privacy.ts";
import { Submit, Hint, Status, Titled } from "../../html/parts.tsx";

export type PrivacySectionDeps = Pick<Parts, "accounts" | "clock" | "hub" | "budget">;

/** What the form of rules sends to try them. */
const TRY_RULES = "try rules";
/** Rules are tried on so many of the last songs, this many in one turn of the event loop. */
const MOST_TRIED = 300;
const TRIED_AT_ONCE = 50;

/** Rules that are not saved yet, and how many of the last songs they would hide. */
interface TriedRules {
  readonly typed: Texts;
  readonly hidden: number;
  readonly songs: number;
}

/** The page to pause sharing for a time, and to hide matching titles and artists. */
export function createSection(deps: PrivacySectionDeps): Section {
  const { accounts, clock } = deps;
  const page = (request: DashboardRequest, tried?: TriedRules): Promise<Response> => {
    const { words, user } = request;
    const rules = accounts.privacy.of(user.id);
    return dashboardPage({
      request,
      title: words.dashboard.sections.privacy,
      children: (
        <>
          <Sharing request={request} rules={rules} nowMs={clock.wallMs()} />
          <Rules request={request} rules={rules} tried={tried} />
        </>
      ),
    });
  };
  return {
    longFields: Object.keys(setPrivacyRules.inputs),
    show: (request) => page(request),
    async act(request, form) {
      if (fieldOf(form, "do") !== TRY_RULES) return page(request);
      const typed = await textsIn(form, setPrivacyRules);
      try {
        return page(request, await tryRules(deps, request, typed));
      } catch (error) {
        return page(withRefused(request, setPrivacyRules, typed, error));
      }
    },
  };
}

/** @throws {Refused} for rules that cannot be saved */
async function tryRules(
  { accounts: { history }, hub, budget }: PrivacySectionDeps,
  { user }: DashboardRequest,
  typed: Texts,
): Promise<TriedRules> {
  const { titles = [], artists = [] } = givenIn(readInputs(setPrivacyRules.inputs, typed));
  const rules = { ...NOTHING_HIDDEN, hiddenTitles: titles, hiddenArtists: artists };
  const kept = history.songsOf(user, { most: MOST_TRIED });
  // Nothing is kept unless the user has switched it on; some songs are still in memory.
  const songs = kept.length > 0 ? kept : hub.songsBefore(user.id).map(({ song }) => song);
  let hidden = 0;
  for (let from = 0; from < songs.length; from += TRIED_AT_ONCE) {
    const some = songs.slice(from, from + TRIED_AT_ONCE);
    hidden += some.filter((song) => hidesTrack(rules, song)).length;
    await budget.letOthersIn(user.id);
  }
  return { typed, hidden, songs: songs.length };
}

interface SharingProps {
  readonly request: DashboardRequest;
  readonly rules: PrivacyRules;
  readonly nowMs: number;
}

function Sharing({ request, rules, nowMs }: SharingProps): JSX.Element {
  const { privacy: t } = request.words.dashboard;
  const { pausedUntil } = rules;
  const endMs = pausedUntil !== null && pausedUntil > nowMs ? pausedUntil : undefined;
  const state =
    endMs === undefined
      ? t.sharing
      : endMs === UNTIL_RESUMED
        ? t.paused
        : fill(t.pausedUntil, { time: formatTime(request.language, endMs, nowMs) });
  return (
    <Titled title={t.stateTitle}>
      <Status tone={endMs === undefined ? "good" : "warn"} text={state} />
      <Hint text={t.whilePaused} />
      <div class="actions">
        {endMs !== undefined && (
          <ActionForm form={formOf(request, resumeSharing)} class="">
            <Submit label={t.resume} />
          </ActionForm>
        )}
        {endMs !== UNTIL_RESUMED && (
          <ActionForm form={formOf(request, pauseSharing)} class="actions-of-one">
            {endMs === undefined && <Submit name="for" value="hour" label={t.pauseHour} />}
            <Submit name="for" value="long" class="quiet" label={t.pauseLong} />
          </ActionForm>
        )}
      </div>
    </Titled>
  );
}

interface RulesProps extends Omit<SharingProps, "nowMs"> {
  readonly tried: TriedRules | undefined;
}

function Rules({ request, rules, tried }: RulesProps): JSX.Element {
  const { privacy: t } = request.words.dashboard;
  const form = formOf(request, setPrivacyRules);
  return (
    <Titled title={t.rulesTitle}>
      <p safe>{t.rulesText}</p>
      <Hint text={t.linesHint} />
      <ActionForm form={form} class="form wide" multipart>
        <div class="pair">
          <LinesInput
            form={form}
            name="titles"
            label={t.titles}
            value={String(tried?.typed["titles"] ?? rules.hiddenTitles.join("\n"))}
            rows={6}
          />
          <LinesInput
            form={form}
            name="artists"
            label={t.artists}
            value={String(tried?.typed["artists"] ?? rules.hiddenArtists.join("\n"))}
            rows={6}
          />
        </div>
        {tried !== undefined && (
          <p class="status idle" role="status" {...IN_SIGHT} safe>
            {tried.songs === 0
              ? t.noSongs
              : fill(t.hides, { count: String(tried.hidden), total: String(tried.songs) })}
          </p>
        )}
        <div class="actions">
          <Submit label={t.save} />
          <Submit name="do" value={TRY_RULES} class="quiet" label={t.try} />
        </div>
      </ActionForm>
    </Titled>
  );
}
