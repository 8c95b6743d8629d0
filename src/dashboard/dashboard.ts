import type { EventsServer } from "../api/events.ts";
import { parseConnectionId } from "../music/connection-reads.ts";
import { plainText, tooMuch } from "../http/plain-text.ts";
import { secondsOf } from "../http/rate-limit.ts";
import { isLinked } from "../sources/source.ts";
import type { LinkingFlow } from "../linking/linking.ts";
import type { Upgrader } from "../http/socket.ts";
import type { DashboardTicket } from "./ticket.ts";
import { redirect } from "../http/redirect.ts";
import type { Covers } from "../overlay/covers.ts";
import { createDashboardLive } from "./live.ts";
import type { CreateSections, SectionParts } from "./section-parts.ts";
import { createPresenter } from "./state.ts";
import { createDashboardGuard, type DashboardGuardDeps, type SignedInContext } from "./guard.ts";
import { download } from "./download.ts";
import type { SectionName } from "../html/section-paths.ts";
import { pathTo } from "../html/section-paths.ts";

export interface DashboardDeps extends DashboardGuardDeps, Omit<SectionParts, "present"> {
  readonly covers: Covers;
  /** Loads the list of pages. */
  readonly loadSections: () => Promise<CreateSections>;
  /** Loads what sends browsers to an upstream. */
  readonly linkingFlow: () => Promise<LinkingFlow>;
  server(): Pick<EventsServer, "timeout"> | undefined;
}

export type Dashboard = Awaited<ReturnType<typeof createDashboard>>;

/** A backup reads the whole database, so that is done this rarely. */
const BACKUP_PAUSE_MS = 10_000;
/** A client that takes nothing of a backup for so long does not want it. */
const SENDING_IDLE_SECONDS = 30;

const tooSoon = (waitSeconds: number): Response =>
  tooMuch("A backup was just made: try again in a moment", waitSeconds);

/** The pages of who is signed in, and what else the dashboard answers. */
export async function createDashboard(deps: DashboardDeps) {
  const { accounts, sources, clock, linkingFlow, budget, basePath } = deps;
  const present = createPresenter(deps);
  const createSections = await deps.loadSections();
  const sections = await createSections({ ...deps, present });
  const live = createDashboardLive({ ...deps, present });
  deps.live.onStreamChange(live.redraw);
  accounts.connections.onStatus(live.redraw);
  deps.inbox.onPost(live.redrawConnection);
  const guard = createDashboardGuard(deps);
  let nextBackupMs = -Infinity;

  return {
    live,
    show: (name: SectionName) => guard.show(name, sections[name]),
    act: (name: SectionName) => guard.act(name, sections[name]),

    /** Redirects to an upstream to link an account. */
    link: guard.guard(async ({ signedIn: { user }, language, params, request }) => {
      const source = sources.byId(params["source"] ?? "");
      if (!source || !isLinked(source) || !source.oauth.app()) {
        return redirect(pathTo({ basePath, language }, "music"), 303);
      }
      const again = parseConnectionId(new URL(request.url).searchParams.get("connection") ?? "");
      const all = accounts.connections.allOf(user.id);
      const { name } = all.find(({ publicId }) => publicId === again) ?? { name: "" };
      const intent = { kind: "dashboard", userId: user.id, name } as const;
      return (await linkingFlow()).start(request, language, source, intent);
    }),

    file: (name: SectionName, file: string) => guard.file(name, sections[name], file),

    /** A copy of the database, for the owner. */
    backup: guard.guard(async ({ signedIn: { user }, request }) => {
      if (user.role !== "owner") return plainText(403, "Only the owner may have a backup");
      const waitMs = nextBackupMs - clock.monotonicMs();
      if (waitMs > 0) return tooSoon(secondsOf(waitMs));
      const day = new Date(clock.wallMs()).toISOString().slice(0, 10);
      const [name, type] = [`marquee-${day}.db`, "application/vnd.sqlite3"];
      if (request.method === "HEAD") return download({ name, type, body: "" });
      // Nothing is sent while a large database is copied.
      deps.server()?.timeout(request, 0);
      const copy = await deps.takeCopy(request.signal);
      deps.server()?.timeout(request, SENDING_IDLE_SECONDS);
      if (copy === "left") return plainText(503, "Nobody waits for the copy");
      if (copy === "running") return tooSoon(BACKUP_PAUSE_MS / 1_000);
      if (copy === "full") return plainText(507, "The server’s disk has no room for a copy");
      nextBackupMs = clock.monotonicMs() + BACKUP_PAUSE_MS;
      return download({ name, type, body: copy });
    }),

    socket(
      { signedIn, language, request }: Omit<SignedInContext, "params">,
      upgrader: Upgrader<DashboardTicket> | undefined,
    ) {
      const isElsewhere = deps.openedElsewhere(request) !== undefined;
      if (!isElsewhere && !deps.isFromOwnPage(request)) {
        return plainText(403, "Not from this page");
      }
      const waitMs = budget.waitMs(signedIn.user.id);
      if (waitMs > 0) return tooMuch("Too much at once", secondsOf(waitMs));
      budget.begin(signedIn.user.id);
      if (live.isFull(signedIn)) return tooMuch("Too many dashboards are open", 15);
      const { user, session } = signedIn;
      const data = { user, sessionId: session.id, language, isElsewhere };
      if (upgrader?.upgrade(request, { data })) return undefined;
      return plainText(426, "This address is for WebSockets only", { Upgrade: "websocket" });
    },
  };
}
