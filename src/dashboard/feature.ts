import type { Page } from "../html/page.ts";
import { SECTION_NAMES, type SectionName, sectionPath } from "../html/section-paths.ts";
import { type Feature, get, once, post, socket, socketsOf } from "../http/feature.ts";
import type { Dashboard, DashboardDeps } from "./dashboard.ts";
import type { DashboardTicket } from "./ticket.ts";

/** The pages of who is signed in, which are loaded with the first visit. */
export function createDashboardFeature(deps: DashboardDeps): Feature {
  let opened: Dashboard | undefined;
  const load = once(async () => {
    const { createDashboard } = await import("./dashboard.ts");
    opened = await createDashboard(deps);
    return opened;
  });
  const page =
    (name: "link" | "export" | "setList" | "backup"): Page =>
    async (context) =>
      (await load()).routes[name](context);
  const section =
    (name: SectionName, does: "show" | "act"): Page =>
    async (context) =>
      (await load()).routes[does](name)(context);

  return {
    routes: [
      ...SECTION_NAMES.flatMap((name) => [
        get(`/:lang/${sectionPath(name)}`, section(name, "show")),
        post(`/:lang/${sectionPath(name)}`, section(name, "act")),
      ]),
      socket("/:lang/dashboard/live", async (context, upgrader) =>
        (await load()).routes.socket(context, upgrader),
      ),
      get("/:lang/dashboard/music/link/:source", page("link")),
      get("/:lang/dashboard/widget/fonts", section("widget", "show")),
      // Who uploads a font has to be signed in before the body is read. Bun's own limit still counts.
      post("/:lang/dashboard/widget/fonts", section("widget", "act"), { limitsBody: true }),
      get("/:lang/dashboard/account/export", page("export")),
      get("/:lang/dashboard/history/set-list", page("setList")),
      get("/:lang/dashboard/server/backup", page("backup")),
    ],
    sockets: socketsOf<DashboardTicket>("dashboard", {
      opened: (one) => opened?.live.opened(one),
      closed: (one) => opened?.live.closed(one),
    }),
    async follow({ userId }) {
      await opened?.live.dropEndedSessions(deps.accounts.sessions.isOpen, userId);
      opened?.live.redraw(userId);
    },
    stop: () => opened?.live.stop(),
  };
}
