import type { ConnectionReading } from "../../channels/channel-view.ts";
import { ActionForm, ConfirmedAction, formOf, TextInput } from "../../dashboard/action-form.tsx";
import { Fold } from "../../html/form.tsx";
import { NoticeBox } from "../../dashboard/frame.tsx";
import { LivePart, RowPart } from "../../dashboard/music/live-part.tsx";
import { Sign } from "../../dashboard/music/signs.tsx";
import { tileOf } from "../../dashboard/music/tiles.tsx";
import { fill, formatDay } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { type ConnectedMusic, labelOf } from "../../sources/connected-music.ts";
import { isLinked, isPushed } from "../../sources/source.ts";
import { disconnect, renameConnection } from "../connection-actions.ts";
import { cardId, ROW, rowQuery } from "../connection-row.ts";
import { connectForm, ConnectionForm } from "./connection-form.tsx";
import { CoversOf } from "./covers.tsx";
import { Guide } from "./guide.tsx";
import { InboxPart, ReplaceSecret } from "./inbox.tsx";
import { LinkControls } from "./link-controls.tsx";
import { Grip, Moves } from "./moves.tsx";
import { TitlesOf } from "./titles.tsx";
import type { MusicView } from "./view.ts";
import { Submit } from "../../html/parts.tsx";

interface RowProps {
  readonly view: MusicView;
  readonly one: ConnectedMusic;
  readonly readings: readonly ConnectionReading[];
}

/** A connection in a line, which unfolds what it reports and what can be done with it. */
export function ConnectionRow({ view, one, readings }: RowProps): JSX.Element {
  const { deps, request, music: all } = view;
  const { connection, source } = one;
  const id = String(connection.publicId);
  const notice = noticeOf(view, one);
  const live = { deps, reader: request, music: one, all, readings };
  return (
    <section class="source connected" id={cardId(connection)}>
      <details open={isOpen(view, one)}>
        <summary>
          {all.length > 1 && <Grip title={request.words.dashboard.music.drag} />}
          <Sign of={tileOf(source.id)} />
          <h2 id={`${cardId(connection)}-name`} safe>
            {labelOf(one, request.words)}
          </h2>
          <span class="row-state" data-row={id}>
            <RowPart {...live} />
          </span>
        </summary>
        <div class="opened">
          {notice !== undefined && <NoticeBox notice={notice} request={request} />}
          <div data-connection={id}>
            <LivePart {...live} />
          </div>
          <OpenedRow view={view} one={one} />
        </div>
      </details>
    </section>
  );
}

/** What a form has come to is said where the browser goes: in the row that it is about. */
export function noticeOf({ request }: MusicView, { connection }: ConnectedMusic) {
  const isAbout = request.query.get(ROW) === String(connection.publicId);
  return isAbout && !request.refused ? request.notice : undefined;
}

/** One that has just been added, or is the only one and still silent, shows what is to be done next. */
function isOpen({ request: { query, refused }, music: all }: MusicView, one: ConnectedMusic) {
  const id = String(one.connection.publicId);
  if (refused) return refused.texts["id"] === id;
  const chosen = query.get(ROW);
  if (chosen !== null) return chosen === id;
  return all.length === 1 && isPushed(one.source) && !one.connection.hasWorked;
}

interface RowPartProps {
  readonly view: MusicView;
  readonly one: ConnectedMusic;
}

function OpenedRow({ view, one }: RowPartProps): JSX.Element {
  const { deps, request, music: all } = view;
  const { connection, source, account, status, stored } = one;
  const { music: t } = request.words.dashboard;
  const isSilent = !connection.hasWorked;
  const accountName = account.displayName ?? source.name;
  const inbox = isPushed(source) && stored.usable && (
    <InboxPart
      deps={deps}
      request={request}
      connection={connection}
      source={source}
      isSilent={isSilent}
    />
  );
  const guide = isSilent && source.id !== "demo" ? <Guide request={request} source={source} /> : "";
  return (
    <>
      {accountName !== source.name && <p safe>{fill(t.account, { account: accountName })}</p>}
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
      <div data-until-first-song={String(connection.publicId)}>
        {inbox === false ? (
          guide
        ) : (
          <Fold label={t.inbox.show} isOpen={isSilent}>
            {inbox as "safe"}
            {guide}
          </Fold>
        )}
      </div>
      <div class="row-actions" role="group" aria-labelledby={`${cardId(connection)}-name`}>
        <RowActions view={view} one={one} />
      </div>
    </>
  );
}

function RowActions({ view, one }: RowPartProps): JSX.Element {
  const { deps, request, music: all } = view;
  const { connection, source, stored, status, position } = one;
  const { music: t } = request.words.dashboard;
  const changing = { request, source, changes: one };
  const isKnown = deps.sources.byId(source.id) !== undefined;
  // Then the form is shown to connect again, even if it has no fields.
  const enterAgain = !stored.usable && !isLinked(source) && isKnown;
  const hasOptions = Object.keys(source.options).length > 0;
  const wasRefused = status.state === "needsLinking";
  return (
    <>
      {(hasOptions || enterAgain) && (
        <Fold
          label={t.change}
          isOpen={connectForm(changing).refused !== undefined || enterAgain || wasRefused}
        >
          <ConnectionForm {...changing} />
        </Fold>
      )}
      {isPushed(source) && stored.usable && (
        <ReplaceSecret request={request} connection={connection} />
      )}
      <RenameForm view={view} one={one} />
      <TitlesOf view={view} one={one} />
      <CoversOf view={view} one={one} />
      {all.length > 1 && (
        <Moves
          request={request}
          connection={connection}
          label={labelOf(one, request.words)}
          position={position}
          count={all.length}
        />
      )}
      <ConfirmedAction
        form={formOf(request, disconnect, { id: connection.publicId })}
        label={t.disconnect}
        consequence={t.disconnectText}
      />
    </>
  );
}

function RenameForm({ view: { request }, one }: RowPartProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const { publicId, name } = one.connection;
  const form = formOf(request, renameConnection, { id: publicId });
  return (
    <Fold label={t.rename} isOpen={form.refused !== undefined}>
      <ActionForm form={form} at={rowQuery(one.connection)}>
        <TextInput form={form} name="name" label={t.name} hint={t.nameHint} value={name} />
        <Submit label={t.renameGo} />
      </ActionForm>
    </Fold>
  );
}
