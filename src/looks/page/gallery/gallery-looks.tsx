import type { Widget } from "../../widgets.ts";
import { pageAddress } from "../../../addresses.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { widgetGalleryScript } from "../../../html/assets.ts";
import { cssWithFonts } from "../../../overlay/fonts/font-faces.ts";
import { type SharedLook, sharedLookJson } from "../../../overlay/looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES, type ShippedLookName } from "../../../overlay/looks/shipped.ts";
import {
  ActionButton,
  ActionForm,
  formOf,
  LinesInput,
  TextInput,
} from "../../../dashboard/action-form.tsx";
import { Choice, Fold } from "../../../html/form.tsx";
import { look, makeOfLook } from "../../look-actions.ts";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import { sizeOf } from "../../../../widget/source-size.ts";
import { galleryOf } from "./gallery-link.ts";
import { LookPreview } from "./look-preview.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { Hint, Submit, Titled } from "../../../html/parts.tsx";

interface LooksProps {
  readonly request: DashboardRequest;
  readonly looks: Readonly<Record<ShippedLookName, SharedLook>>;
  readonly widgets: readonly Widget[];
}

/** The form of all buttons that use a look: it opens the editor, and changes nothing. */
const USE = "use-look";

/** The looks that come with Marquee. */
export function ShippedLooks({ request, looks, widgets }: LooksProps): JSX.Element {
  const t = request.words.dashboard.gallery.looks;
  const overlays = widgets.filter(({ kind }) => kind === "overlay");
  const [first] = overlays;
  return (
    <Titled title={t.title} class="shipped">
      <p safe>{t.lead}</p>
      {first !== undefined && (
        <form id={USE} method="get" action={pathTo(request, "widget")}>
          <ForOverlay request={request} overlays={overlays} />
        </form>
      )}
      <ul class="looks">
        {SHIPPED_LOOK_NAMES.map((id) => (
          <ShippedLook request={request} id={id} look={looks[id]} isFirst={!first} />
        ))}
      </ul>
      <ImportForm request={request} />
    </Titled>
  );
}

interface ForOverlayProps extends Pick<LooksProps, "request"> {
  readonly overlays: readonly Widget[];
}

/** For which overlay a look is. Nobody is asked who has only one. */
function ForOverlay({ request, overlays }: ForOverlayProps): JSX.Element {
  const choices = overlays.map(({ id, name }) => ({ value: String(id), label: name }));
  const chosen = String(overlays[0]?.id);
  return overlays.length === 1 ? (
    <input type="hidden" name="id" value={chosen} />
  ) : (
    <Choice
      id="use-for"
      name="id"
      label={request.words.dashboard.gallery.looks.forOverlay}
      chosen={chosen}
      options={choices}
    />
  );
}

interface ShippedLookProps {
  readonly request: DashboardRequest;
  readonly id: ShippedLookName;
  readonly look: SharedLook;
  /** Whether there is no overlay yet that could use it. */
  readonly isFirst: boolean;
}

function ShippedLook({ request, id, look, isFirst }: ShippedLookProps): JSX.Element {
  const { words, language, basePath } = request;
  const { looks: t, preview } = words.dashboard.gallery;
  const make = formOf(request, makeOfLook, { look: id });
  return (
    <li title={attribute(words.looks[id].text)}>
      <LookPreview
        title={fill(preview, { name: look.name })}
        path={`${pageAddress(basePath, language, "demo")}?look=${id}`}
        look={look}
        isDeferred
      />
      <h3 id={`look-${id}`} safe>
        {look.name}
      </h3>
      <div class="row-actions" role="group" aria-labelledby={`look-${id}`}>
        {isFirst ? (
          <ActionButton form={make} label={t.use} />
        ) : (
          <Submit label={t.use} class="quiet" form={USE} name="look" value={id} />
        )}
      </div>
    </li>
  );
}

/** What shows a look that was pasted. It changes nothing, so that it is no action. */
export const SHOW_LOOK = { name: "look", inputs: { look } };

/** Where a look that somebody shared is pasted. The page's script fills it from the address. */
function ImportForm({ request }: Pick<LooksProps, "request">): JSX.Element {
  const { import: t } = request.words.dashboard.gallery;
  const { refused } = request;
  // What is wrong with a look is shown here, whatever was to be done with it.
  const isRefused = refused?.field === "look";
  const form = formOf(
    { ...request, ...(isRefused && { refused: { ...refused, action: SHOW_LOOK.name } }) },
    SHOW_LOOK,
  );
  return (
    <Fold label={t.title} isOpen={isRefused}>
      <ActionForm form={form} class="form wide" multipart>
        <LinesInput form={form} name="look" label={t.field} hint={t.text} rows={3} />
        <Submit label={t.go} class="quiet" />
      </ActionForm>
    </Fold>
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
  const overlays = widgets.filter(({ kind }) => kind === "overlay");
  return dashboardPage({
    parent: galleryOf(request),
    request,
    title: fill(t.viewTitle, { name: look.name }),
    lead: t.viewLead,
    scripts: [widgetGalleryScript.path],
    children: (
      <div class="gallery">
        <section class="viewed">
          <LookPreview
            title={fill(preview, { name: look.name })}
            path={`${pageAddress(basePath, language, "demo")}?${query.toString()}`}
            look={look}
            css={cssWithFonts({ own: [], basePath }, { font: null, css: look.css })}
          />
          <p class="facts" safe>
            {sizeText(request, look)}
          </p>
          {overlays.length > 0 && <UseShared request={request} look={look} overlays={overlays} />}
          <ActionForm form={make} class="form in-line" multipart>
            {field as "safe"}
            <TextInput form={make} name="name" label={nameLabel} value={look.name} />
            <Submit class={overlays.length > 0 ? "quiet" : ""} label={looks.asNew} />
          </ActionForm>
        </section>
        <Titled title={t.options}>
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
          {unknown.length > 0 && <Hint text={fill(t.unknown, { names: unknown.join(", ") })} />}
        </Titled>
        <Titled title={t.css}>
          <p safe>{look.css === "" ? t.noCss : t.cssText}</p>
          {look.css !== "" && (
            <pre tabindex="0" aria-label={t.css} role="region">
              <code safe>{look.css}</code>
            </pre>
          )}
        </Titled>
      </div>
    ),
  });
}

type UseSharedProps = ForOverlayProps & Pick<LookViewProps, "look">;

/** Opens the editor of an overlay with the look. */
function UseShared({ request, look, overlays }: UseSharedProps): JSX.Element {
  const { looks: t } = request.words.dashboard.gallery;
  const form = formOf(request, SHOW_LOOK);
  return (
    <ActionForm form={form} class="form in-line" multipart>
      <input type="hidden" name="look" value={attribute(sharedLookJson(look))} />
      <ForOverlay request={request} overlays={overlays} />
      <Submit label={t.use} />
    </ActionForm>
  );
}

function sizeText({ words }: DashboardRequest, look: SharedLook): string {
  const { width, height } = sizeOf(look);
  return fill(words.dashboard.gallery.size, { width: String(width), height: String(height) });
}
