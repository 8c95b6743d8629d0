import { ActionForm, type FormOf, formOf, TextInput } from "../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { Html } from "../../jsx.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import { exampleOf, optionField, type OptionName, type Source } from "../../sources/source.ts";
import { LONGEST_ENTERED_TEXT } from "../../text-limits.ts";
import { connect, storedOptions } from "../connect-actions.ts";
import { rowQuery } from "../connection-row.ts";
import { Submit } from "../../html/parts.tsx";

export const isNamed = ({ connection }: ConnectedMusic): boolean => connection.name !== "";

export interface ConnectionFormProps {
  readonly request: DashboardRequest;
  readonly source: Source;
  /** The connection that the form changes. */
  readonly changes?: ConnectedMusic;
  /** Adds one with a name: the user has one without a name. */
  readonly isAnother?: boolean;
  /** The options of the player that was found on this machine. */
  readonly found?: Readonly<Record<string, string>> | undefined;
}

/** The form as it is sent, with what was refused of it. */
export const connectForm = ({
  request,
  source,
  changes,
  isAnother = false,
}: ConnectionFormProps): FormOf<typeof connect.inputs> =>
  formOf(request, connect, {
    source: source.id,
    id: changes?.connection.publicId ?? (isAnother ? "new" : ""),
  });

/** A form made from the source's own options. */
export function ConnectionForm(props: ConnectionFormProps): JSX.Element {
  const { request, source, changes, isAnother, found = {} } = props;
  const { music: t } = request.words.dashboard;
  const labels: Readonly<Record<string, string>> = t.options;
  const form = connectForm(props);
  const stored = changes?.stored.usable
    ? storedOptions(source, changes.stored.open.settings)
    : undefined;
  return (
    <ActionForm form={form} at={changes ? rowQuery(changes.connection) : ""}>
      {isAnother && <TextInput form={form} name="name" label={t.name} hint={t.nameHint} required />}
      {Object.entries(source.options).map(([name, option]) => {
        const keepsSecret = option.secret && stored?.[name] !== undefined;
        return (
          <TextInput
            form={form}
            name={optionField(name as OptionName)}
            label={labels[`${source.id}_${name}`] ?? name}
            placeholder={exampleOf(option)}
            value={
              stored?.[name] ??
              found[name] ??
              (option.fallback === undefined ? undefined : String(option.fallback))
            }
            hint={keepsSecret ? t.secretKept : undefined}
            longest={option.longest ?? LONGEST_ENTERED_TEXT}
            required={option.fallback === undefined && !keepsSecret}
          />
        );
      })}
      <Submit label={changes ? t.saveSettings : t.connect} />
    </ActionForm>
  );
}
