import { type PrivacyRules, UNTIL_RESUMED } from "../../accounts/privacy.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { fieldOf } from "../../http/form-field.ts";
import { Form, Lines } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import type { Notice, Section, DashboardRequest } from "../request.ts";
import { LINE_BREAK, mistakeInLines } from "../../text-limits.ts";
import { wordsOfMistake } from "../entered-text.ts";
import type { Parts } from "../../http/parts.ts";

export type PrivacySectionDeps = Pick<Parts, "accounts" | "clock">;

const PAUSE_MS = 3_600_000;
const MOST_LINES = 100;
const LONGEST_LINE = 200;

/** Texts as typed, one per line, and the error. */
interface TypedTexts {
  readonly typed: string;
  readonly mistake: string | undefined;
}

interface TypedRules {
  readonly titles: TypedTexts;
  readonly artists: TypedTexts;
}

/** The page to pause sharing for a time, and to hide matching titles and artists. */
export function createSection(deps: PrivacySectionDeps): Section {
  const {
    accounts: { privacy },
    clock,
  } = deps;

  const page = async (request: DashboardRequest, refused?: TypedRules): Promise<Response> => {
    const { words, user } = request;
    const rules = privacy.of(user.id);
    const mistake = refused?.titles.mistake ?? refused?.artists.mistake;
    return dashboardPage(
      {
        request,
        title: words.dashboard.sections.privacy,
        lead: words.dashboard.privacy.lead,
        ...(mistake !== undefined && { notice: { tone: "bad", text: mistake } }),
        children: (
          <>
            <Sharing request={request} rules={rules} nowMs={clock.wallMs()} />
            <Rules request={request} rules={refused ?? typedRulesOf(rules)} />
          </>
        ),
      },
      refused ? 422 : 200,
    );
  };

  const saveRules = async (
    request: DashboardRequest,
    form: FormData,
  ): Promise<Notice | Response> => {
    const titles = readTexts(request, form.get("titles"));
    const artists = readTexts(request, form.get("artists"));
    if (titles.mistake !== undefined || artists.mistake !== undefined) {
      return page(request, { titles, artists });
    }
    await privacy.change(request.user, {
      hiddenTitles: titles.texts,
      hiddenArtists: artists.texts,
    });
    return { tone: "good", text: request.words.dashboard.privacy.saved };
  };

  return {
    longFields: ["titles", "artists"],
    show: (request) => page(request),
    async act(request, form) {
      const { privacy: t } = request.words.dashboard;
      switch (fieldOf(form, "do")) {
        case "pause": {
          const isLong = fieldOf(form, "for") === "long";
          await privacy.change(request.user, {
            pausedUntil: isLong ? UNTIL_RESUMED : clock.wallMs() + PAUSE_MS,
          });
          return { tone: "good", text: t.nowPaused };
        }
        case "resume":
          await privacy.change(request.user, { pausedUntil: null });
          return { tone: "good", text: t.nowSharing };
        case "rules":
          return saveRules(request, form);
        default:
          return page(request);
      }
    },
  };
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
          <Form request={request} action="resume" class="">
            <button type="submit" safe>
              {t.resume}
            </button>
          </Form>
        )}
        {endMs !== UNTIL_RESUMED && (
          <Form request={request} action="pause" class="actions-of-one">
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
          </Form>
        )}
      </div>
    </section>
  );
}

function Rules({ request, rules }: { request: DashboardRequest; rules: TypedRules }): JSX.Element {
  const { privacy: t } = request.words.dashboard;
  const fields = [
    { id: "titles", label: t.titles, ...rules.titles },
    { id: "artists", label: t.artists, ...rules.artists },
  ];
  return (
    <section>
      <h2 safe>{t.rulesTitle}</h2>
      <p safe>{t.rulesText}</p>
      <Form request={request} action="rules" class="form wide" multipart>
        <>
          <div class="pair">
            {fields.map(({ id, label, typed, mistake }) => (
              <Lines
                id={id}
                label={label}
                hint={t.linesHint}
                value={typed}
                mistake={mistake}
                rows={6}
              />
            ))}
          </div>
          <button type="submit" safe>
            {t.save}
          </button>
        </>
      </Form>
    </section>
  );
}

const typedRulesOf = ({ hiddenTitles, hiddenArtists }: PrivacyRules): TypedRules => ({
  titles: { typed: hiddenTitles.join("\n"), mistake: undefined },
  artists: { typed: hiddenArtists.join("\n"), mistake: undefined },
});

/** Accents are ignored, so a line with only accents would match every name. */
const saysSomething = (line: string): boolean => /[^\p{M}\s]/u.test(line.normalize("NFKD"));

/** Reads texts, one per line; empty and repeated lines are left out. */
function readTexts(
  { words }: DashboardRequest,
  sent: FormDataEntryValue | null,
): TypedTexts & { texts: readonly string[] } {
  const { privacy: t } = words.dashboard;
  const typed = typeof sent === "string" ? sent : "";
  const lines = typed.split(LINE_BREAK).map((line) => line.trim());
  const texts = [...new Set(lines.filter(saysSomething))];
  const tooLong = lines.findIndex((line) => lengthOf(line) > LONGEST_LINE);
  const control = mistakeInLines(typed);
  const mistake = control
    ? wordsOfMistake(words, control)
    : texts.length > MOST_LINES
      ? fill(t.tooMany, { count: String(texts.length) })
      : tooLong === -1
        ? undefined
        : fill(t.tooLong, {
            line: String(tooLong + 1),
            count: String(lengthOf(lines[tooLong] ?? "")),
          });
  return { typed, texts, mistake };
}

/** The length in Unicode code points. */
const lengthOf = (text: string): number => [...text].length;
