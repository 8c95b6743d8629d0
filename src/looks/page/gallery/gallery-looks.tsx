import type { Widget } from "../../widgets.ts";
import { pageAddress } from "../../../addresses.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { widgetGalleryScript } from "../../../html/assets.ts";
import { type SharedLook, sharedLookJson } from "../../../overlay/looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES, type ShippedLookName } from "../../../overlay/looks/shipped.ts";
import {
  ActionButton,
  ActionForm,
  ChoiceInput,
  type FormOf,
  formOf,
  LinesInput,
  TextInput,
} from "../../../dashboard/action-form.tsx";
import { Confirm } from "../../../dashboard/form.tsx";
import { look, makeOfLook, useLook } from "../../look-actions.ts";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import { sizeOf } from "../../../../widget/source-size.ts";
import { LookPreview } from "./look-preview.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";

interface LooksProps {
  readonly request: DashboardRequest;
  readonly looks: Readonly<Record<ShippedLookName, SharedLook>>;
  readonly widgets: readonly Widget[];
}

/** The looks that come with Marquee. */
export function ShippedLooks({ request, looks, widgets }: LooksProps): JSX.Element {
  const { words, language, basePath } = request;
  const t = words.dashboard.gallery;
  const hasOverlay = widgets.some(({ kind }) => kind === "overlay");
  return (
    <section class="shipped">
      <h2 safe>{t.looks.title}</h2>
      <p safe>{t.looks.lead}</p>
      <ul class="cards">
        {SHIPPED_LOOK_NAMES.map((id) => (
          <li>
            <LookPreview
              title={fill(t.preview, { name: looks[id].name })}
              path={`${pageAddress(basePath, language, "demo")}?look=${id}`}
              look={looks[id]}
            />
            <h3 id={`look-${id}`} safe>
              {looks[id].name}
            </h3>
            <p safe>{words.looks[id].text}</p>
            <p class="facts" safe>
              {sizeText(request, looks[id])}
            </p>
            <div class="row-actions" role="group" aria-labelledby={`look-${id}`}>
              <ActionButton form={formOf(request, makeOfLook, { look: id })} label={t.looks.make} />
              {hasOverlay && (
                <Confirm label={t.looks.use} consequence={t.looks.useText}>
                  <UseFor form={formOf(request, useLook, { look: id })} widgets={widgets} />
                </Confirm>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface UseForProps {
  readonly form: FormOf<typeof useLook.inputs>;
  readonly widgets: readonly Widget[];
  /** The field with a long look. */
  readonly children?: JSX.Element;
}

/** Gives a look to one of the user's widgets. */
function UseFor({ form, widgets, children = "" }: UseForProps): JSX.Element {
  const { looks: t } = form.request.words.dashboard.gallery;
  const overlays = widgets.filter(({ kind }) => kind === "overlay");
  return (
    <ActionForm form={form} multipart>
      <>
        {children as "safe"}
        <ChoiceInput
          form={form}
          name="id"
          label={t.useFor}
          options={overlays.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        <button type="submit" safe>
          {t.useGo}
        </button>
      </>
    </ActionForm>
  );
}

/** What shows a look that was pasted. It changes nothing, so that it is no action. */
export const SHOW_LOOK = { name: "look", inputs: { look } };

/** Where a look that somebody shared is pasted. The page's script fills it from the address. */
export function ImportForm({ request }: Pick<LooksProps, "request">): JSX.Element {
  const { import: t } = request.words.dashboard.gallery;
  const { refused } = request;
  // What is wrong with a look is shown here, whatever was to be done with it.
  const isRefused = refused?.field === "look";
  const form = formOf(
    { ...request, ...(isRefused && { refused: { ...refused, action: SHOW_LOOK.name } }) },
    SHOW_LOOK,
  );
  return (
    <section>
      <h2 safe>{t.title}</h2>
      <ActionForm form={form} class="form wide" multipart>
        <>
          <LinesInput form={form} name="look" label={t.field} hint={t.text} rows={3} />
          <button type="submit" safe>
            {t.go}
          </button>
        </>
      </ActionForm>
    </section>
  );
}

export interface LookViewProps {
  readonly request: DashboardRequest;
  readonly look: SharedLook;
  readonly unknown: readonly string[];
  readonly widgets: readonly Widget[];
}

/** A page with a look that somebody shared, before anything is saved. */
export function lookView(props: LookViewProps): Promise<Response> {
  const { request, look, unknown, widgets } = props;
  const { words, language, basePath } = request;
  const { import: t, looks, preview, name: nameLabel } = words.dashboard.gallery;
  const query = new URLSearchParams(look.options);
  query.delete("look");
  query.set("demo", "1");
  const options = Object.entries(look.options).filter(([name]) => !unknown.includes(name));
  const field = <input type="hidden" name="look" value={attribute(sharedLookJson(look))} />;
  const make = formOf(request, makeOfLook);
  return dashboardPage({
    request,
    title: fill(t.viewTitle, { name: look.name }),
    lead: t.viewLead,
    scripts: [widgetGalleryScript.path],
    children: (
      <div class="gallery">
        <section>
          <LookPreview
            title={fill(preview, { name: look.name })}
            path={`${pageAddress(basePath, language, "demo")}?${query.toString()}`}
            look={look}
            css={look.css}
          />
          <p class="facts" safe>
            {sizeText(request, look)}
          </p>
          <div class="pair">
            <ActionForm form={make} multipart>
              <>
                {field as "safe"}
                <TextInput form={make} name="name" label={nameLabel} value={look.name} />
                <button type="submit" safe>
                  {looks.make}
                </button>
              </>
            </ActionForm>
            {widgets.some(({ kind }) => kind === "overlay") && (
              <UseFor form={formOf(request, useLook)} widgets={widgets}>
                {field}
              </UseFor>
            )}
          </div>
        </section>
        <section>
          <h2 safe>{t.options}</h2>
          {options.length === 0 && <p safe>{t.noOptions}</p>}
          <dl class="option-list">
            {options.map(([name, value]) => (
              <div>
                <dt>
                  <bdi safe>{name}</bdi>
                </dt>
                <dd>
                  <bdi safe>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          {unknown.length > 0 && (
            <p class="hint" safe>
              {fill(t.unknown, { names: unknown.join(", ") })}
            </p>
          )}
        </section>
        <section>
          <h2 safe>{t.css}</h2>
          <p safe>{look.css === "" ? t.noCss : t.cssText}</p>
          {look.css !== "" && (
            <pre tabindex="0" aria-label={t.css} role="region">
              <code safe>{look.css}</code>
            </pre>
          )}
          <p class="actions">
            <a class="button quiet" href={pathTo(request, "widget")} safe>
              {t.back}
            </a>
          </p>
        </section>
      </div>
    ),
  });
}

function sizeText({ words }: DashboardRequest, look: SharedLook): string {
  const { width, height } = sizeOf(look);
  return fill(words.dashboard.gallery.size, { width: String(width), height: String(height) });
}
