import { ActionForm, formOf, TextInput } from "../../dashboard/action-form.tsx";
import { Fold } from "../../html/form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { Copyable, Hint, LinkButton, Submit, Titled } from "../../html/parts.tsx";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { enterChatApp, linkChat } from "../actions.ts";
import type { BegunLink } from "../twitch/links.ts";
import { REGISTRATION_URL, UNUSED_REDIRECT_URL } from "../twitch/registration.ts";
import { QrCode } from "./qr-code.tsx";
import { queryOfWay } from "./ways.tsx";

interface RequestProps {
  readonly request: DashboardRequest;
}

/** Gives up the link that the page waits for. */
export const CANCEL = { name: "cancel", inputs: {} } as const;

/** A link that the user has to agree to. */
export function Waiting(props: RequestProps & { readonly begun: BegunLink }): JSX.Element {
  const { request, begun } = props;
  const { chat: t } = request.words.dashboard;
  return (
    <Titled title={t.linkTitle}>
      <p safe>{t.begun}</p>
      {begun.link !== undefined && (
        <>
          <p>
            <LinkButton
              label={t.open}
              href={begun.link}
              isMain
              target="_blank"
              rel="noopener noreferrer"
            />
          </p>
          <Hint text={t.byPhone} />
          <QrCode text={begun.link} label={t.qrCode} />
        </>
      )}
      <p safe>{fill(t.code, { code: begun.userCode })}</p>
      <Hint text={t.waiting} />
      <ActionForm form={formOf(request, CANCEL)}>
        <Submit label={t.cancel} class="quiet" />
      </ActionForm>
    </Titled>
  );
}

/** @param isFirst whether no account is linked yet; for another one the form is folded away */
export function LinkForm({
  request,
  isFirst,
}: RequestProps & { readonly isFirst: boolean }): JSX.Element {
  const { chat: t } = request.words.dashboard;
  const form = formOf(request, linkChat);
  const fields = (
    <ActionForm form={form} at={queryOfWay("twitch")}>
      <TextInput form={form} name="channel" label={t.channel} hint={t.channelHint} />
      <Submit label={t.link} />
    </ActionForm>
  );
  if (!isFirst) {
    return (
      <Fold label={t.linkTitle} isOpen={form.refused !== undefined}>
        {fields}
      </Fold>
    );
  }
  return (
    <Titled title={t.linkTitle}>
      <p safe>{t.linkText}</p>
      {fields}
    </Titled>
  );
}

export function NoApplication({ request }: RequestProps): JSX.Element {
  const { connect, dashboard, refused } = request.words;
  const { chat: t } = dashboard;
  if (request.user.role !== "owner") {
    return (
      <section>
        <p safe>{refused.chat.noApplication}</p>
      </section>
    );
  }
  const form = formOf(request, enterChatApp);
  return (
    <Titled title={t.appTitle}>
      <p safe>{t.appLead}</p>
      <ol class="steps">
        <li>
          <span safe>{t.appCreate}</span>
          <br />
          <a href={REGISTRATION_URL} target="_blank" rel="noopener noreferrer">
            {REGISTRATION_URL}
          </a>
        </li>
        <li>
          <span safe>{connect.appRedirect}</span>
          <Copyable language={request.language} text={UNUSED_REDIRECT_URL} />
        </li>
        <li>
          <span safe>{connect.appEnter}</span>
          <ActionForm form={form} at={queryOfWay("twitch")}>
            <TextInput form={form} name="clientId" label={t.appId} />
            <Submit label={t.appSave} />
          </ActionForm>
        </li>
      </ol>
    </Titled>
  );
}
