import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { ActionForm, formOf, LinesInput } from "../../dashboard/action-form.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import type { Parts } from "../../http/parts.ts";
import { pauseSharing, resumeSharing, setPrivacyRules } from "../privacy-actions.ts";
import { type PrivacyRules, UNTIL_RESUMED } from "../privacy.ts";

export type PrivacySectionDeps = Pick<Parts, "accounts" | "clock">;

/** The page to pause sharing for a time, and to hide matching titles and artists. */
export const createSection = ({ accounts, clock }: PrivacySectionDeps): Section => ({
  async show(request) {
    const { words, user } = request;
    const rules = accounts.privacy.of(user.id);
    return dashboardPage({
      request,
      title: words.dashboard.sections.privacy,
      lead: words.dashboard.privacy.lead,
      children: (
        <>
          <Sharing request={request} rules={rules} nowMs={clock.wallMs()} />
          <Rules request={request} rules={rules} />
        </>
      ),
    });
  },
});

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
    <section>
      <h2 safe>{t.stateTitle}</h2>
      <p class={`status ${endMs === undefined ? "good" : "warn"}`} safe>
        {state}
      </p>
      <p class="hint" safe>
        {t.whilePaused}
      </p>
      <div class="actions">
        {endMs !== undefined && (
          <ActionForm form={formOf(request, resumeSharing)} class="">
            <button type="submit" safe>
              {t.resume}
            </button>
          </ActionForm>
        )}
        {endMs !== UNTIL_RESUMED && (
          <ActionForm form={formOf(request, pauseSharing)} class="actions-of-one">
            <>
              {endMs === undefined && (
                <button type="submit" name="for" value="hour" safe>
                  {t.pauseHour}
                </button>
              )}
              <button type="submit" name="for" value="long" class="quiet" safe>
                {t.pauseLong}
              </button>
            </>
          </ActionForm>
        )}
      </div>
    </section>
  );
}

function Rules({ request, rules }: Omit<SharingProps, "nowMs">): JSX.Element {
  const { privacy: t } = request.words.dashboard;
  const form = formOf(request, setPrivacyRules);
  const hint = t.linesHint;
  return (
    <section>
      <h2 safe>{t.rulesTitle}</h2>
      <p safe>{t.rulesText}</p>
      <ActionForm form={form} class="form wide" multipart>
        <>
          <div class="pair">
            <LinesInput
              form={form}
              name="titles"
              label={t.titles}
              hint={hint}
              value={rules.hiddenTitles.join("\n")}
              rows={6}
            />
            <LinesInput
              form={form}
              name="artists"
              label={t.artists}
              hint={hint}
              value={rules.hiddenArtists.join("\n")}
              rows={6}
            />
          </div>
          <button type="submit" safe>
            {t.save}
          </button>
        </>
      </ActionForm>
    </section>
  );
}
