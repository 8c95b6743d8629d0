import { action, good } from "../actions/action.ts";
import { flag, id } from "../actions/inputs.ts";
import { LONGEST_KEY_NAME, readKeyName } from "../accounts/key-name.ts";
import { fill, languages } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import { isLanguage } from "../languages.ts";
import { savedOptionsOf } from "../outputs/options.ts";
import { testTrack } from "../outputs/test-track.ts";
import { isRecord, parseFields } from "../upstream/json.ts";
import { nothingIfUnreadable } from "../vault/vault.ts";
import { isSide } from "../../widget/source-size.ts";
import { showAddressesOf } from "./actions.ts";
import { type Draft, draftOf, readOptions } from "./draft.ts";
import { isOnDemand, LONGEST_CSS } from "./look.ts";
import type { Widget } from "./widgets.ts";

/** JSON writes a line break, a quote and a backslash with two characters. */
const LONGEST_DRAFT = 2 * LONGEST_CSS + 10_000;

const TEST_TRACK_MS = 12_000;

/** What `widget save` prints, and editors get. */
export interface SavedWidget extends Draft {
  readonly id: number;
  /** Whether the draft is what is stored now; if not, the rest is what somebody else has saved. */
  readonly saved: boolean;
  readonly revision: number;
  /** Where an overlay that is not always shown is shown and hidden; `null` too when it is damaged. */
  readonly show_url: string | null;
  readonly hide_url: string | null;
}

/** A look that a widget has or had, as `widget versions` prints it. */
export interface WidgetVersion extends Pick<Draft, "options" | "css" | "size"> {
  readonly revision: number;
  readonly saved_at: string;
}

export const saveWidget = action({
  name: "widget save",
  help: "save name, language, options, CSS and size of a widget, as an editor does",
  who: "self",
  inputs: {
    id,
    draft: {
      help: "JSON with what changes: name, language, options, css, size",
      placeholder: "json",
      type: { kind: "lines" },
      longest: LONGEST_DRAFT,
      allowed: `JSON such as {"name":"Main","options":{"theme":"bar"},"css":"","size":null}`,
      refusal: "widget.draft",
      parse: readDraft,
    },
    basedOn: {
      ...id,
      help: "save only if this is still the newest revision",
      placeholder: "revision",
      as: "option",
      fallback: null,
    },
    passing: {
      ...flag,
      help: "for saves one after the other: one a minute stays among the earlier versions",
    },
  },
  command: {
    examples: [`marquee widget save ada 1 '{"name":"Intro","options":{"theme":"bar"}}'`],
  },
  async run(call, { id, draft, basedOn, passing }) {
    const { user } = call;
    const { widgets } = call.accounts;
    const addressesOf = async (widget: Widget) => {
      const token =
        widget.kind === "overlay" && isOnDemand(widget)
          ? await widgets.showTokenOf(user, id).catch(nothingIfUnreadable)
          : undefined;
      return token === undefined
        ? { show_url: null, hide_url: null }
        : showAddressesOf(call, token);
    };
    const before = widgets.byId(user, id);
    const isNewest = basedOn === null || basedOn === before.revision;
    const next = draftOf({ ...before, ...draft });
    if (before.kind !== "overlay" && next.css !== "") {
      throw new Refused("widget.noOverlay", {}, { field: "css", isMisuse: true });
    }
    const widget = isNewest
      ? await widgets.save(
          user,
          id,
          { ...next, options: optionsOf(before, next) },
          {
            basedOn: before.revision,
            isPassing: passing,
            name: nameOf(next),
            language: next.language,
          },
        )
      : before;
    return { isSaved: isNewest, widget, ...(await addressesOf(widget)) };
  },
  documents: ({ isSaved: saved, widget, show_url, hide_url }): readonly SavedWidget[] => [
    { id: widget.id, saved, revision: widget.revision, ...draftOf(widget), show_url, hide_url },
  ],
  notice: ({ dashboard: { widget } }, { isSaved }) =>
    isSaved ? good(widget.editor.savedNotice) : { tone: "bad", text: widget.editor.newer },
});

/** A draft in a JSON document: what it lacks stays as it is. `undefined` for what is none. */
function readDraft(text: string): Partial<Draft> | undefined {
  const given = parseFields(text);
  return given && isDraft(given) ? given : undefined;
}

function isDraft(given: Readonly<Record<string, unknown>>): given is Partial<Draft> {
  const { name = "", language = null, options = {}, css = "", size = null } = given;
  return (
    isText(name) &&
    (language === null || (isText(language) && isLanguage(language))) &&
    isRecord(options) &&
    Object.values(options).every(isText) &&
    isText(css) &&
    (size === null || (isRecord(size) && isSide(size["width"]) && isSide(size["height"])))
  );
}

const isText = (value: unknown): value is string => typeof value === "string";

/** @throws {Refused} for a name that cannot be used */
function nameOf({ name }: Draft): string {
  const read = readKeyName(name);
  if (read !== undefined) return read;
  const most = { most: String(LONGEST_KEY_NAME) };
  throw new Refused("entered.name", most, { field: "name", isMisuse: true });
}

/**
 * The options to store. What this version cannot read is taken only if it is stored already: a newer
 * version has saved it.
 * @throws {Refused} for anything else
 */
function optionsOf(widget: Widget, draft: Pick<Draft, "options">): Draft["options"] {
  const { options, unread } = readOptions(draft.options, savedOptionsOf[widget.kind]);
  for (const [option, value] of Object.entries(unread)) {
    if (widget.options[option] === value) continue;
    throw new Refused("look.value", { option, value }, { field: option, isMisuse: true });
  }
  return { ...unread, ...options };
}

export const listVersions = action({
  name: "widget versions",
  help: "list the looks that a widget had, the newest first",
  who: "self",
  inputs: { id },
  run: ({ accounts, user }, { id }) => accounts.widgets.revisionsOf(user, id),
  documents: (versions): readonly WidgetVersion[] =>
    versions.map(({ revision, savedAt, options, css, size }) => ({
      revision,
      saved_at: new Date(savedAt).toISOString(),
      options,
      css,
      size,
    })),
  table: (versions) => [
    ["REVISION", "SAVED AT", "OPTIONS"],
    ...versions.map(({ revision, savedAt, options }) => [
      String(revision),
      new Date(savedAt).toISOString(),
      new URLSearchParams(options).toString(),
    ]),
  ],
});

export const testWidgets = action({
  name: "widget test",
  help: "show a test track in a user's overlays for twelve seconds",
  who: "self",
  inputs: {},
  run({ running, user, language, clock }) {
    running?.live.showFor(
      user.id,
      testTrack(languages[language], clock.monotonicMs()),
      TEST_TRACK_MS,
    );
    return { browserSources: running?.live.onStream(user.id) ?? 0 };
  },
  documents: ({ browserSources }) => [{ browser_sources: browserSources }],
  notice: ({ dashboard: { widget } }, { browserSources: count }) =>
    count === 0
      ? { tone: "bad", text: widget.testUnseen }
      : good(fill(widget.testSent, { count: String(count) })),
});
