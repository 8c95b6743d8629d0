import type { Page } from "../html/page.ts";
import { SECTION_NAMES, sectionPath } from "../html/section-paths.ts";
import { type Feature, get, once, post, socket, socketsOf } from "../http/feature.ts";
import type { Dashboard, DashboardDeps } from "./dashboard.ts";
import type { DashboardRoutes } from "./routes.ts";
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
    (pick: (routes: DashboardRoutes) => Page): Page =>
    async (context) =>
      pick((await load()).routes)(context);

  return {
    routes: [
      ...SECTION_NAMES.flatMap((name) => [
        get(
          `/:lang/${sectionPath(name)}`,
          page(({ show }) => show(name)),
        ),
        post(
          `/:lang/${sectionPath(name)}`,
          page(({ act }) => act(name)),
        ),
      ]),
      socket("/:lang/dashboard/live", async (context, upgrader) =>
        (await load()).routes.socket(context, upgrader),
      ),
      get(
        "/:lang/dashboard/music/link/:source",
        page(({ link }) => link),
      ),
      get(
        "/:lang/dashboard/widget/fonts",
        page(({ show }) => show("widget")),
      ),
      // Who uploads a font has to be signed in before the body is read. Bun's own limit still counts.
      post(
        "/:lang/dashboard/widget/fonts",
        page(({ act }) => act("widget")),
        { limitsBody: true },
      ),
      get(
        "/:lang/dashboard/account/export",
        page((routes) => routes.export),
      ),
      get(
        "/:lang/dashboard/history/set-list",
        page(({ setList }) => setList),
      ),
      get(
        "/:lang/dashboard/server/backup",
        page(({ backup }) => backup),
      ),
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
