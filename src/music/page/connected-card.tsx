import type { ConnectionReading } from "../../channels/channel-view.ts";
import { fill, formatDay } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { type ConnectedMusic, labelOf } from "../../sources/connected-music.ts";
import { isLinked, isPushed } from "../../sources/source.ts";
import { ActionForm, ConfirmedAction, formOf, TextInput } from "../../dashboard/action-form.tsx";
import { Fold } from "../../dashboard/form.tsx";
import { connectForm, ConnectionForm } from "./connection-form.tsx";
import { cardId, disconnect, renameConnection } from "../connection-actions.ts";
import { Guide } from "./guide.tsx";
import { InboxPart, ReplaceSecret } from "./inbox.tsx";
import { LinkControls } from "./link-controls.tsx";
import { LivePart } from "../../dashboard/music/live-part.tsx";
import { Grip, Moves } from "./moves.tsx";
import { CoversOf } from "./covers.tsx";
import { TitlesOf } from "./titles.tsx";
import type { MusicView } from "./view.ts";

interface CardProps {
  readonly view: MusicView;
  readonly one: ConnectedMusic;
  readonly readings: readonly ConnectionReading[];
}

/** A connection: what it reports, and what can be done with it. */
export function ConnectedCard({ view, one, readings }: CardProps): JSX.Element {
  const { deps, request, music: all } = view;
  const { connection, source, account, status, stored, position } = one;
  const { music: t } = request.words.dashboard;
  const label = labelOf(one);
  const id = String(connection.publicId);
  return (
    <section class="source connected" id={cardId(connection)}>
      <div class="card-head">
        {all.length > 1 && <Grip title={t.drag} />}
        <h2 id={`${cardId(connection)}-name`} safe>
          {label}
        </h2>
        {all.length > 1 && (
          <Moves
            request={request}
            id={connection.publicId}
            label={label}
            position={position}
            count={all.length}
          />
        )}
      </div>
      {account.displayName !== null && account.displayName !== source.name && (
        <p safe>{fill(t.account, { account: account.displayName })}</p>
      )}
      <div data-connection={id}>
        <LivePart deps={deps} reader={request} music={one} all={all} readings={readings} />
      </div>
      {status.linkedUntil !== null && (
        <p safe>{fill(t.linkedUntil, { day: formatDay(request.language, status.linkedUntil) })}</p>
      )}
      {isLinked(source) && (
        <LinkControls
          request={request}
          source={source}
          label={t.linkAgain}
          isFirst={all.find((other) => other.source === source) === one}
          changes={one}
        />
      )}
      {isPushed(source) && stored.usable && (
        <>
          <InboxPart deps={deps} request={request} connection={connection} source={source} />
          <Guide request={request} source={source} />
        </>
      )}
      <CardActions view={view} one={one} />
    </section>
  );
}

interface CardPartProps {
  readonly view: MusicView;
  readonly one: ConnectedMusic;
}

function CardActions({ view, one }: CardPartProps): JSX.Element {
  const { deps, request } = view;
  const { connection, source, stored } = one;
  const { music: t } = request.words.dashboard;
  const changing = { request, source, changes: one };
  // Then the form is shown to connect again, even if it has no fields.
  const enterAgain =
    !stored.usable && !isLinked(source) && deps.sources.byId(source.id) !== undefined;
  const hasOptions = Object.keys(source.options).length > 0;
  return (
    <div class="row-actions" role="group" aria-labelledby={`${cardId(connection)}-name`}>
      {(hasOptions || enterAgain) && (
        <Fold label={t.change} isOpen={connectForm(changing).refused !== undefined || enterAgain}>
          <ConnectionForm {...changing} />
        </Fold>
      )}
      {isPushed(source) && stored.usable && (
        <ReplaceSecret request={request} connection={connection} />
      )}
      <RenameForm view={view} one={one} />
      <TitlesOf view={view} one={one} />
      <CoversOf view={view} one={one} />
      <ConfirmedAction
        form={formOf(request, disconnect, { id: connection.publicId })}
        label={t.disconnect}
        consequence={fill(t.disconnectText, { source: labelOf(one) })}
      />
    </div>
  );
}

function RenameForm({ view: { request }, one }: CardPartProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const { publicId, name } = one.connection;
  const form = formOf(request, renameConnection, { id: publicId });
  return (
    <Fold label={t.rename} isOpen={form.refused !== undefined}>
      <ActionForm form={form}>
        <>
          <TextInput form={form} name="name" label={t.name} hint={t.nameHint} value={name} />
          <button type="submit" safe>
            {t.renameGo}
          </button>
        </>
      </ActionForm>
    </Fold>
  );
}
