import type { Font } from "../../fonts.ts";
import { LONGEST_CSS } from "../../look.ts";
import { fill, languages } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { LANGUAGES } from "../../../languages.ts";
import { attribute } from "../../../html/attribute.ts";
import { fontFaces } from "../../../overlay/font-faces.ts";
import { CLASS_NAMES, CUSTOM_PROPERTIES } from "./css-names.ts";
import { SIZE_FIELDS } from "./editor-query.ts";
import { SIDE_PX, sourceSize } from "../../../../widget/source-size.ts";
import { Field, Pills } from "../../../dashboard/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { Control } from "./controls.tsx";
import { type DraftMistakes, type EditorPartProps, FORM } from "./draft.tsx";
import { type Group, groupOptions } from "./groups.ts";
import { LONGEST_KEY_NAME } from "../../../accounts/key-name.ts";

/** The ID of the list of the user's fonts. */
const FONTS = "own-fonts";

export interface OptionsFormProps extends EditorPartProps {
  readonly token: string;
  readonly fonts: readonly Font[];
  readonly mistakes: DraftMistakes;
  /** Whether the draft is what is saved. */
  readonly isSaved: boolean;
}

/** Everything that is saved of a widget, as one form. */
export function OptionsForm(props: OptionsFormProps): JSX.Element {
  const { request, widget: saved, draft, token, fonts, isSaved } = props;
  const { words, basePath, language, formToken } = request;
  const { widget } = words.dashboard;
  const page = pathTo(request, "widget");
  return (
    <form
      id={FORM}
      method="post"
      enctype="multipart/form-data"
      action={page}
      aria-label={widget.options}
      data-base-path={basePath}
      data-token={token}
      data-language={language}
      data-id={String(saved.id)}
      data-is-saved={String(isSaved)}
      data-font-faces={attribute(fontFaces(fonts, basePath))}
    >
      <>
        <input type="hidden" name="token" value={formToken} />
        <input type="hidden" name="id" value={String(saved.id)} />
        <input type="hidden" name="basedOn" value={String(draft.basedOn)} />
        <datalist id={FONTS}>
          {fonts.map(({ name }) => (
            <option value={attribute(name)} />
          ))}
        </datalist>
        {groupOptions().map((group) => (
          <OptionGroup {...props} group={group} />
        ))}
        <CssGroup {...props} />
        <NameAndSize {...props} />
        <p class="actions">
          <button type="submit" name="do" value="show" class="quiet" data-without-script safe>
            {widget.show}
          </button>
          <a
            class="button quiet"
            href={attribute(`${page}?id=${saved.id}&draft=1`)}
            data-takes="options"
            safe
          >
            {widget.defaults}
          </a>
        </p>
      </>
    </form>
  );
}

function OptionGroup(props: OptionsFormProps & { group: Group }): JSX.Element {
  const { request, draft, group } = props;
  const { editorQuery } = draft;
  const { groups } = request.words.dashboard.widget;
  const isTouched =
    group.options.some(([name]) => editorQuery.typed.has(name)) ||
    (group.name === "text" && editorQuery.language !== null);
  const isChoice = (kind: string) => kind === "choice";
  const isSwitch = (kind: string) => kind === "switch";
  const controlsOf = (belongs: (kind: string) => boolean): JSX.Element => (
    <>
      {group.options
        .filter(([, { type }]) => belongs(type.kind))
        .map(([name, option]) => (
          <Control
            request={request}
            editorQuery={editorQuery}
            name={name}
            option={option}
            offers={option.type.kind === "font" ? FONTS : undefined}
          />
        ))}
    </>
  );
  return (
    <details class="group" open={group.name === "look" || isTouched}>
      <summary>
        <h2 safe>{groups[group.name]}</h2>
      </summary>
      <div class="rows">
        <div class="row choices">
          {group.name === "text" && <LanguageChoice {...props} />}
          {controlsOf(isChoice) as "safe"}
        </div>
        <div class="row fields">
          {controlsOf((kind) => !isChoice(kind) && !isSwitch(kind)) as "safe"}
        </div>
        <div class="row switches">{controlsOf(isSwitch) as "safe"}</div>
      </div>
    </details>
  );
}

/** The language is not in the table of options: it belongs to the widget. */
function LanguageChoice({ request, draft }: EditorPartProps): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <div class="control">
      <Pills
        legend={widget.language}
        name="language"
        choices={[
          { value: "", label: widget.editor.addressLanguage },
          ...LANGUAGES.map((value) => ({ value, label: languages[value].endonym })),
        ]}
        chosen={draft.editorQuery.language ?? ""}
      />
    </div>
  );
}

function NameAndSize({ request, widget, draft, mistakes }: OptionsFormProps): JSX.Element {
  const { editor, obs } = request.words.dashboard.widget;
  const { typed, options } = draft.editorQuery;
  const fitting = sourceSize(options);
  const isTouched = Object.values(SIZE_FIELDS).some((field) => typed.has(field));
  const isOpen = isTouched || mistakes.name !== undefined || draft.name !== widget.name;
  return (
    <details class="group" open={isOpen}>
      <summary>
        <h2 safe>{editor.nameAndSize}</h2>
      </summary>
      <div class="rows">
        <div class="named">
          <Field
            id="name"
            label={editor.name}
            value={draft.name}
            mistake={mistakes.name}
            maxlength={LONGEST_KEY_NAME}
            required
          />
        </div>
        <p class="hint" safe>
          {editor.sizeHint}
        </p>
        <div class="row fields">
          {(["width", "height"] as const).map((side) => (
            <SizeField
              request={request}
              draft={draft}
              side={side}
              label={obs[side]}
              fits={fitting[side]}
            />
          ))}
        </div>
      </div>
    </details>
  );
}

interface SizeFieldProps {
  readonly request: DashboardRequest;
  readonly draft: EditorPartProps["draft"];
  readonly side: keyof typeof SIZE_FIELDS;
  readonly label: string;
  readonly fits: number;
}

function SizeField({ request, draft, side, label, fits }: SizeFieldProps): JSX.Element {
  const { mistakes } = request.words.dashboard.widget;
  const { typed, invalid } = draft.editorQuery;
  const name = SIZE_FIELDS[side];
  const [id, mistake] = [`option-${name}`, `option-${name}-mistake`];
  const [least, most] = [String(SIDE_PX.least), String(SIDE_PX.most)];
  const isWrong = invalid.has(name);
  return (
    <div class="control" data-control={name}>
      <label for={id}>
        <span safe>{label}</span>
        <small> px</small>
      </label>
      <input
        id={id}
        name={name}
        type="number"
        min={least}
        max={most}
        step="1"
        autocomplete="off"
        value={attribute(typed.get(name) ?? "")}
        placeholder={String(fits)}
        data-fits={side}
        aria-invalid={isWrong && "true"}
        aria-describedby={isWrong && mistake}
      />
      <p class="mistake" id={mistake} hidden={!isWrong} safe>
        {fill(mistakes.number, { least, most })}
      </p>
    </div>
  );
}

/** The widget's own CSS, with the names that it may use. */
function CssGroup({ request, draft, mistakes }: OptionsFormProps): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  const tooLong = mistakes.css ?? fill(editor.cssTooLong, { used: "", most: String(LONGEST_CSS) });
  const used = Buffer.byteLength(draft.css);
  return (
    <details class="group css" open={draft.css !== "" || mistakes.css !== undefined}>
      <summary>
        <h2 safe>{editor.css}</h2>
      </summary>
      <div class="rows">
        <div>
          <p class="hint" id="css-hint" safe>
            {editor.cssText}
          </p>
          <p class="hint" data-without-script safe>
            {editor.cssUnseen}
          </p>
        </div>
        <div class="with-names">
          <div class="control" data-css data-longest={String(LONGEST_CSS)}>
            <textarea
              id="css"
              name="css"
              rows="14"
              spellcheck="false"
              autocapitalize="off"
              aria-label={attribute(editor.css)}
              aria-describedby={mistakes.css === undefined ? "css-hint" : "css-hint css-mistake"}
              aria-invalid={mistakes.css !== undefined && "true"}
              safe
            >
              {/* HTML parsers drop a line break right after the tag, so add one that may be lost. */}
              {`\n${draft.css}`}
            </textarea>
            <p class="used" data-css-used data-text={attribute(editor.cssUsed)} safe>
              {fill(editor.cssUsed, { used: String(used), most: String(LONGEST_CSS) })}
            </p>
            <p
              class="mistake"
              id="css-mistake"
              hidden={mistakes.css === undefined}
              data-text={attribute(editor.cssTooLong)}
              safe
            >
              {tooLong}
            </p>
          </div>
          <div class="names">
            <p class="hint" data-with-script hidden safe>
              {editor.cssInsert}
            </p>
            <Names title={editor.cssClasses} names={CLASS_NAMES} />
            <Names title={editor.cssProperties} names={CUSTOM_PROPERTIES} />
          </div>
        </div>
      </div>
    </details>
  );
}

function Names({ title, names }: { title: string; names: readonly string[] }): JSX.Element {
  return (
    <section>
      <h3 safe>{title}</h3>
      <ul>
        {names.map((name) => (
          <li>
            <code data-insert={name} safe>
              {name}
            </code>
          </li>
        ))}
      </ul>
    </section>
  );
}
