import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { Labelled } from "../../html/form.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import { type DashboardRequest, type Section, withRefused } from "../../dashboard/request.ts";
import { attribute } from "../../html/attribute.ts";
import { pathTo } from "../../html/section-paths.ts";
import { fieldOf } from "../../http/form-field.ts";
import { fill } from "../../i18n/index.ts";
import { Refused } from "../../i18n/refused.ts";
import { Html } from "../../jsx.ts";
import { type BackupRestorer, LARGEST_BACKUP } from "../../vault/backup-restorer.ts";
import { Hint, LinkButton, Submit } from "../../html/parts.tsx";

/** Brings a backup back: no action, because the answer is the last page of this server. */
export const RESTORE = { name: "restore", inputs: {} } as const;

const LONGEST_KEY_BYTES = 200;

interface RestoreFormProps {
  readonly request: DashboardRequest;
  readonly needsKey: boolean;
}

/** A backup and its key. The page's script sends a long one in parts; the last one comes as this form. */
export function RestoreForm({ request, needsKey }: RestoreFormProps): JSX.Element {
  const { restore: t } = request.words.dashboard.home;
  const { interrupted, tooLarge } = request.words.refused.restore;
  const form = formOf(request, RESTORE);
  const mistakeOf = (field: string) =>
    form.refused?.field === field ? form.refused.text : undefined;
  const most = String(LARGEST_BACKUP / 1024 / 1024);
  return (
    <details class="restore" open={form.refused !== undefined}>
      <summary safe>{t.title}</summary>
      <div
        data-restore
        data-largest={String(LARGEST_BACKUP)}
        data-too-large={attribute(fill(tooLarge, { most }))}
        data-interrupted={attribute(interrupted)}
      >
        <ActionForm form={form} below="/restore" multipart>
          <input type="hidden" name="at" value="0" />
          <Labelled id="backup" label={t.backup} mistake={mistakeOf("backup")}>
            <input id="backup" name="backup" type="file" accept=".db" required />
          </Labelled>
          {needsKey && (
            <Labelled id="key" label={t.key} mistake={mistakeOf("key")}>
              <input id="key" name="key" type="file" accept=".key" required />
            </Labelled>
          )}
          <noscript>
            <Hint text={t.needsScript} />
          </noscript>
          <Submit label={t.go} />
        </ActionForm>
        <progress aria-label={attribute(t.title)} max="1" value="0" data-sent hidden />
        <p class="mistake" role="alert" data-outcome />
      </div>
    </details>
  );
}

/** Takes a part of a backup, and after the last one has the server start again with it. */
export async function restore(
  restorer: BackupRestorer,
  request: DashboardRequest,
  form: FormData,
  show: Section["show"],
): Promise<Response> {
  const isLast = fieldOf(form, "more") === "";
  try {
    if (request.user.role !== "owner") throw new Refused("entered.ownersOnly", {}, FIELD);
    restorer.take(Number(fieldOf(form, "at")), await bytesOf(form, "backup"));
    if (!isLast) return new Response(null, { status: 204 });
    const key = await bytesOf(form, "key");
    const text = new TextDecoder().decode(key.subarray(0, LONGEST_KEY_BYTES));
    restorer.restore(text, request.session.id);
  } catch (error) {
    const refused = withRefused(request, RESTORE, {}, error);
    return isLast ? show(refused) : new Response(refused.refused?.text, { status: 422 });
  }
  return restoredPage(request);
}

const FIELD = { field: "backup" } as const;

async function bytesOf(form: FormData, name: string): Promise<Uint8Array> {
  const file = form.get(name);
  return file instanceof Blob ? file.bytes() : new Uint8Array();
}

function restoredPage(request: DashboardRequest): Promise<Response> {
  const { restore: t } = request.words.dashboard.home;
  return dashboardPage({
    request,
    title: t.done,
    lead: t.doneText,
    children: (
      <p class="actions">
        <LinkButton label={t.goOn} href={pathTo(request, "overlay")} isMain />
      </p>
    ),
  });
}
