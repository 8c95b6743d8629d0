import { Elysia } from "elysia";
import { withQuery } from "../addresses.ts";
import type { Feature } from "../http/plugin.ts";
import {
  LEADING_TO,
  pathTo,
  SECTION_NAMES,
  type SectionName,
  sectionPath,
} from "../html/section-paths.ts";
import { redirect } from "../http/redirect.ts";
import { upgraderFor, withMessageLimit } from "../http/socket.ts";
import { once } from "../once.ts";
import type { Dashboard, DashboardDeps } from "./dashboard.ts";
import type { Answer, SignedInContext } from "./guard.ts";
import { createSessionGuard } from "./session-guard.ts";
import type { DashboardTicket } from "./ticket.ts";

/** An object of its own for each route: Elysia changes it. */
const forPage = () => ({ session: "page" }) as const;
/** The body is read once it is known who sends it. */
const forForm = () => ({ session: "form", parse: "none" }) as const;

/** The pages of who is signed in, which are loaded with the first visit. */
export function createDashboardFeature(deps: DashboardDeps): Feature {
  let opened: Dashboard | undefined;
  const load = once(async () => {
    const { createDashboard } = await import("./dashboard.ts");
    opened = await createDashboard(deps);
    return opened;
  });
  const answer =
    (choose: (dashboard: Dashboard) => Answer) =>
    async ({ signedIn, language, request, params }: SignedInContext) =>
      choose(await load())({ signedIn, language, request, params });
  const page = (name: "link" | "backup") => answer((dashboard) => dashboard[name]);
  const section = (name: SectionName, does: "show" | "act") =>
    answer((dashboard) => dashboard[does](name));
  const file = (name: SectionName, file: string) =>
    answer((dashboard) => dashboard.file(name, file));
  const leading =
    (name: SectionName) =>
    ({ language, request }: SignedInContext) =>
      redirect(
        withQuery(
          pathTo({ basePath: deps.basePath, language }, name),
          new URL(request.url).searchParams,
        ),
        302,
      );
  const sockets = withMessageLimit<DashboardTicket>(
    {
      opened: (socket) => opened?.live.opened(socket),
      closed: (socket) => opened?.live.closed(socket),
    },
    deps.clock,
  );

  const plugin = new Elysia({ name: "dashboard" })
    .use(createSessionGuard(deps))
    .get(
      "/:lang/dashboard/live",
      async ({ signedIn, language, request, server }) =>
        (await load()).socket({ signedIn, language, request }, upgraderFor(sockets, server)),
      { session: "socket" },
    )
    .get("/:lang/dashboard/music/link/:source", page("link"), forPage())
    .get("/:lang/dashboard/widget/fonts", section("widget", "show"), forPage())
    .post("/:lang/dashboard/widget/fonts", section("widget", "act"), forForm())
    .get("/:lang/dashboard/widget/cover", section("widget", "show"), forPage())
    .post("/:lang/dashboard/widget/cover", section("widget", "act"), forForm())
    .get("/:lang/dashboard/restore", section("overlay", "show"), forPage())
    .post("/:lang/dashboard/restore", section("overlay", "act"), forForm())
    .get("/:lang/dashboard/account/export", file("account", "export"), forPage())
    .get("/:lang/dashboard/history/set-list", file("history", "set-list"), forPage())
    .get("/:lang/dashboard/server/backup", page("backup"), forPage());
  for (const name of SECTION_NAMES) {
    plugin
      .get(`/:lang/${sectionPath(name)}`, section(name, "show"), forPage())
      .post(`/:lang/${sectionPath(name)}`, section(name, "act"), forForm());
  }
  for (const [path, name] of Object.entries(LEADING_TO)) {
    plugin.get(`/:lang/dashboard${path}`, leading(name), forPage());
  }

  return {
    plugin,
    // Who uploads a file has to be signed in before the body is read. Bun's own limit still counts.
    limitsBodies: /^\/\w+\/dashboard\/(?:widget\/(?:fonts|cover)|restore)\/?$/,
    follow({ userId }) {
      opened?.live.dropEndedSessions(deps.accounts.sessions.isOpen, userId);
      opened?.live.redraw(userId);
    },
    stop: () => opened?.live.stop(),
  };
}
