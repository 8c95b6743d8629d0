import type { Widget } from "../../widgets.ts";
import { pageAddress } from "../../../addresses.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { widgetGalleryScript } from "../../../html/assets.ts";
import {
  LONGEST_SHARED_LOOK,
  type SharedLook,
  sharedLookJson,
} from "../../../overlay/looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES, type ShippedLookName } from "../../../overlay/looks/shipped.ts";
import { Choice, Confirm, Field, Form, Lines } from "../../../dashboard/form.tsx";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import { sizeOf } from "../../../../widget/source-size.ts";
import type { RefusedForm } from "./gallery-notices.ts";
import { LookPreview } from "./look-preview.tsx";
import type { DashboardRequest, Notice } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { LONGEST_KEY_NAME } from "../../../accounts/key-name.ts";

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
              <Form request={request} action="make" class="">
                <>
                  <input type="hidden" name="shipped" value={id} />
                  <button
                    type="submit"
                    class="quiet"
                    aria-label={attribute(`${t.looks.make}: ${looks[id].name}`)}
                    safe
                  >
                    {t.looks.make}
                  </button>
                </>
              </Form>
              {hasOverlay && (
                <Confirm label={t.looks.use} consequence={t.looks.useText}>
                  <UseFor request={request} widgets={widgets} field={`target-${id}`}>
                    <input type="hidden" name="shipped" value={id} />
                  </UseFor>
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
  readonly request: DashboardRequest;
  readonly widgets: readonly Widget[];
  /** The ID of the list of widgets. */
  readonly field: string;
  /** The field with the look. */
  readonly children: JSX.Element;
}

/** Gives a look to one of the user's widgets. */
function UseFor({ request, widgets, field, children }: UseForProps): JSX.Element {
  const { looks: t } = request.words.dashboard.gallery;
  const overlays = widgets.filter(({ kind }) => kind === "overlay");
  return (
    <Form request={request} action="use" multipart>
      <>
        {children as "safe"}
        <Choice
          id={field}
          name="target"
          label={t.useFor}
          chosen=""
          options={overlays.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        <button type="submit" safe>
          {t.useGo}
        </button>
      </>
    </Form>
  );
}

export interface ImportFormProps {
  readonly request: DashboardRequest;
  /** What was pasted, and what is wrong with it. */
  readonly refused: RefusedForm | undefined;
}

/** Where a look that somebody shared is pasted. The page's script fills it from the address. */
export function ImportForm({ request, refused }: ImportFormProps): JSX.Element {
  const { import: t } = request.words.dashboard.gallery;
  return (
    <section>
      <h2 safe>{t.title}</h2>
      <Form request={request} action="look" class="form wide" multipart>
        <>
          <Lines
            id="look"
            label={t.field}
            hint={t.text}
            value={refused?.typed ?? ""}
            mistake={refused?.mistake}
            maxlength={LONGEST_SHARED_LOOK}
            rows={3}
          />
          <button type="submit" safe>
            {t.go}
          </button>
        </>
      </Form>
    </section>
  );
}

export interface LookViewProps {
  readonly request: DashboardRequest;
  readonly look: SharedLook;
  readonly unknown: readonly string[];
  /** The user's overlays. */
  readonly widgets: readonly Widget[];
  readonly notice?: Notice | undefined;
}

/** A page with a look that somebody shared, before anything is saved. */
export function lookView(props: LookViewProps): Promise<Response> {
  const { request, look, unknown, widgets, notice } = props;
  const { words, language, basePath } = request;
  const { import: t, looks, preview, name: nameLabel } = words.dashboard.gallery;
  const query = new URLSearchParams(look.options);
  query.delete("look");
  query.set("demo", "1");
  const options = Object.entries(look.options).filter(([name]) => !unknown.includes(name));
  const field = <input type="hidden" name="look" value={attribute(sharedLookJson(look))} />;
  return dashboardPage(
    {
      request,
      title: fill(t.viewTitle, { name: look.name }),
      lead: t.viewLead,
      scripts: [widgetGalleryScript.path],
      ...(notice && { notice }),
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
              <Form request={request} action="make" multipart>
                <>
                  {field as "safe"}
                  <Field
                    id="name"
                    label={nameLabel}
                    value={look.name}
                    maxlength={LONGEST_KEY_NAME}
                  />
                  <button type="submit" safe>
                    {looks.make}
                  </button>
                </>
              </Form>
              {widgets.length > 0 && (
                <UseFor request={request} widgets={widgets} field="target">
                  {field as "safe"}
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
    },
    notice ? 422 : 200,
  );
}

function sizeText({ words }: DashboardRequest, look: SharedLook): string {
  const { width, height } = sizeOf(look);
  return fill(words.dashboard.gallery.size, { width: String(width), height: String(height) });
}
