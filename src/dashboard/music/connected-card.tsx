import type { ConnectionReading } from "../../channels/channel-view.ts";
import { fill, formatDay } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { type ConnectedMusic, labelOf } from "../../sources/connected-music.ts";
import { isLinked, isPushed } from "../../sources/source.ts";
import { ConfirmedAction, Fold, TextForm } from "../form.tsx";
import { ConnectionForm, formOf } from "./connection-form.tsx";
import { Guide } from "./guide.tsx";
import { InboxPart, ReplaceSecret } from "./inbox.tsx";
import { LinkControls } from "./link-controls.tsx";
import { LivePart } from "./live-part.tsx";
import { cardId } from "./names.ts";
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
            target={id}
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
          view={view}
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
  const { deps, request, refused } = view;
  const { connection, source, stored } = one;
  const { music: t } = request.words.dashboard;
  const form = formOf(source, one);
  // Then the form is shown to connect again, even if it has no fields.
  const enterAgain =
    !stored.usable && !isLinked(source) && deps.sources.byId(source.id) !== undefined;
  return (
    <div class="row-actions" role="group" aria-labelledby={`${cardId(connection)}-name`}>
      {(source.options.length > 0 || enterAgain) && (
        <Fold label={t.change} isOpen={refused?.formId === form.id || enterAgain}>
          <ConnectionForm view={view} form={form} />
        </Fold>
      )}
      {isPushed(source) && stored.usable && (
        <ReplaceSecret request={request} connection={connection} />
      )}
      <RenameForm view={view} one={one} />
      <TitlesOf view={view} one={one} />
      <CoversOf view={view} one={one} />
      <ConfirmedAction
        request={request}
        action="disconnect"
        target={String(connection.publicId)}
        label={t.disconnect}
        consequence={fill(t.disconnectText, { source: labelOf(one) })}
      />
    </div>
  );
}

function RenameForm({ view: { request, refused }, one }: CardPartProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const { publicId, name } = one.connection;
  const id = `name-${publicId}`;
  const again = refused?.formId === id ? refused : undefined;
  return (
    <Fold label={t.rename} isOpen={again !== undefined}>
      <TextForm
        request={request}
        action="rename"
        target={String(publicId)}
        go={t.renameGo}
        id={id}
        label={t.name}
        hint={t.nameHint}
        value={again?.typed["name"] ?? name}
        mistake={again?.mistake}
      />
    </Fold>
  );
}
