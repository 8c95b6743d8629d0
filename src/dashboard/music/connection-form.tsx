import { attribute } from "../../html/attribute.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { Source } from "../../sources/source.ts";
import { Field, Form } from "../form.tsx";
import type { DashboardRequest } from "../request.ts";
import type { MusicView, Refused } from "./view.ts";

/**
 * The form of a source's connection. The fields' names begin with its id: a page has several forms
 * of one source when a user has several connections to it.
 */
export interface FormOfSource {
  readonly id: string;
  readonly source: Source;
  /** The connection that the form changes; without it, the form adds one. */
  readonly changes?: ConnectedMusic;
  /** Adds one with a name: the user has one without a name. */
  readonly isAnother?: true;
  /** The options of the player that was found on this machine. */
  readonly found?: Readonly<Record<string, string>>;
}

export const isNamed = ({ connection }: ConnectedMusic): boolean => connection.name !== "";

export const formOf = (source: Source, changes?: ConnectedMusic): FormOfSource => {
  if (!changes) return { id: source.id, source };
  const { publicId } = changes.connection;
  return { id: isNamed(changes) ? `${source.id}-${publicId}` : source.id, source, changes };
};

/** The form that adds another connection to a source, with a name. */
export const formOfAnother = (source: Source): FormOfSource => ({
  id: `${source.id}-new`,
  source,
  isAnother: true,
});

interface ConnectionFormProps {
  readonly view: MusicView;
  readonly form: FormOfSource;
}

/** A form made from the source's own options. */
export function ConnectionForm({ view, form }: ConnectionFormProps): JSX.Element {
  const { request, refused } = view;
  const { id, source, changes, isAnother } = form;
  const { music: t } = request.words.dashboard;
  const again = refused?.formId === id ? refused : undefined;
  return (
    <Form request={request} action="connect" target={source.id}>
      <>
        {changes !== undefined && isNamed(changes) && (
          <input
            type="hidden"
            name="connection"
            value={attribute(String(changes.connection.publicId))}
          />
        )}
        {isAnother && (
          <>
            <input type="hidden" name="another" value="1" />
            <Field
              id={`${id}-name`}
              label={t.name}
              hint={t.nameHint}
              value={again?.typed["name"]}
              mistake={again?.field === "name" ? again.mistake : undefined}
              required
            />
          </>
        )}
        <OptionFields request={request} form={form} again={again} />
        <button type="submit" safe>
          {fill(t.connect, { source: source.name })}
        </button>
      </>
    </Form>
  );
}

interface OptionFieldsProps {
  readonly request: DashboardRequest;
  readonly form: FormOfSource;
  readonly again: Refused | undefined;
}

function OptionFields({ request, form, again }: OptionFieldsProps): JSX.Element {
  const { id, source, changes, found } = form;
  const settings = changes?.stored.usable ? changes.stored.open.settings : undefined;
  const { secretKept } = request.words.dashboard.music;
  return (
    <>
      {source.options.map((option) => {
        const { name, secret, placeholder, fallback, longest } = option;
        const current = currentValue(settings, option);
        return (
          <Field
            id={`${id}-${name}`}
            label={optionLabel(request, source.id, name)}
            type={secret ? "password" : "text"}
            placeholder={secret ? undefined : placeholder}
            value={
              secret ? undefined : (again?.typed[name] ?? current ?? found?.[name] ?? fallback)
            }
            hint={secret && current !== undefined ? secretKept : undefined}
            mistake={again?.field === name ? again.mistake : undefined}
            maxlength={longest}
          />
        );
      })}
    </>
  );
}

/** The stored value of an option. */
export function currentValue(settings: unknown, { name }: { name: string }): string | undefined {
  const value =
    typeof settings === "object" && settings !== null
      ? (settings as Record<string, unknown>)[name]
      : undefined;
  return typeof value === "string" ? value : undefined;
}

/** An option's label in the request's language; the option's own name if it has no label. */
function optionLabel({ words }: DashboardRequest, sourceId: string, option: string): string {
  const labels: Readonly<Record<string, string>> = words.dashboard.music.options;
  return labels[`${sourceId}_${option}`] ?? option;
}
