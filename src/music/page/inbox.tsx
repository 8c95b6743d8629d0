import type { Connections } from "../connections.ts";
import { nothingIfUnreadable } from "../../vault/vault.ts";
import { Html } from "../../jsx.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { PushedSource } from "../../sources/source.ts";
import { Copies, Hint, type LabelledText, LinkButton, Submit } from "../../html/parts.tsx";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { Confirm } from "../../html/form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { BROADCAST } from "../../sources/pushed.ts";
import { IcecastEntered } from "./icecast-entered.tsx";
import { rotateConnection } from "../connection-actions.ts";
import { rowQuery } from "../connection-row.ts";

export interface InboxPartDeps {
  readonly accounts: { readonly connections: Pick<Connections, "secretOf"> };
}

interface InboxPartProps {
  readonly deps: InboxPartDeps;
  readonly request: DashboardRequest;
  readonly connection: ConnectedMusic["connection"];
  readonly source: PushedSource;
  /** Nothing has come yet: how to set the program up stands beside. */
  readonly isSilent: boolean;
}

/** What a program needs to push to a connection. */
export async function InboxPart(props: InboxPartProps): Promise<string> {
  const { deps, request, connection, source, isSilent } = props;
  const secret = await deps.accounts.connections.secretOf(connection.id).catch(nothingIfUnreadable);
  return secret === undefined ? (
    <p class="mistake" safe>
      {request.words.dashboard.music.inbox.unreadable}
    </p>
  ) : (
    <Entered request={request} source={source} secret={secret} isSilent={isSilent} />
  );
}

export function ReplaceSecret({
  request,
  connection,
}: {
  request: DashboardRequest;
  connection: ConnectedMusic["connection"];
}): JSX.Element {
  const { inbox: t } = request.words.dashboard.music;
  return (
    <Confirm label={t.rotate} consequence={t.rotateText}>
      <ActionForm
        form={formOf(request, rotateConnection, { id: connection.publicId })}
        at={rowQuery(connection)}
      >
        <Submit label={t.rotateGo} />
      </ActionForm>
    </Confirm>
  );
}

interface EnteredProps extends Pick<InboxPartProps, "request" | "source" | "isSilent"> {
  readonly secret: string;
}

/** What to enter in the program. Whatever contains the secret is hidden until it is shown. */
function Entered({ request, source, secret, isSilent }: EnteredProps): JSX.Element {
  const { language, baseUrl, words } = request;
  const { inbox: t } = words.dashboard.music;
  const address = source.inboxAddress(baseUrl, secret);
  if (address === null) {
    return (
      <p class="mistake" safe>
        {t.noPort}
      </p>
    );
  }
  const places: Readonly<Record<string, string>> = t.where;
  const where = places[source.id];
  return (
    <>
      {isSilent && where !== undefined && (
        <p class="where-to" safe>
          {where}
        </p>
      )}
      {source.id === BROADCAST.id ? (
        <IcecastEntered request={request} address={address} password={secret} />
      ) : (
        <Copies language={language} texts={textsToCopy(request, source, address, secret)} />
      )}
      {source.id === "webscrobbler" && (
        <>
          <p class="actions">
            <LinkButton
              label={t.webScrobblerLink}
              href={webScrobblerLink(address)}
              rel="noreferrer"
              target="_blank"
            />
          </p>
          <Hint text={t.webScrobblerHint} />
        </>
      )}
    </>
  );
}

function textsToCopy(
  { user, words }: DashboardRequest,
  { id }: PushedSource,
  address: string,
  secret: string,
): LabelledText[] {
  const { inbox: t } = words.dashboard.music;
  const isInAddress = address.includes(secret);
  const isAudioscrobbler = id === "audioscrobbler";
  return [
    { label: t.address, text: address, isSecret: isInAddress },
    ...(isAudioscrobbler ? [{ label: t.user, text: user.name }] : []),
    ...(isInAddress
      ? []
      : [{ label: isAudioscrobbler ? t.password : t.token, text: secret, isSecret: true }]),
    ...(id === "json" ? [{ label: t.curl, text: curlLine(address), isSecret: true }] : []),
  ];
}

/** A command that sends a song. It has no quotation marks but those that every terminal reads alike. */
const curlLine = (address: string): string =>
  `curl "${address}?${new URLSearchParams({ title: "Paper Lanterns", artist: "Juniper Vale" })}"`;

/** The page on which the extension offers to add a webhook (its src/core/content/webhook.ts). */
const webScrobblerLink = (address: string): string => {
  const query = new URLSearchParams({ applicationName: "Marquee", userApiUrl: address });
  return `https://webscrobbler.com/webhook?${query.toString()}`;
};
