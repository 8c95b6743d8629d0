import { action, good } from "../actions/action.ts";
import { Refused } from "../i18n/refused.ts";
import { APP_FIELDS } from "./app.ts";

export const enterApp = action({
  name: "app enter",
  help: "enter the app as which this server links accounts of a source",
  who: "owner",
  inputs: {
    source: { allowed: "a source that is linked in the browser", parse: (text) => text },
    ...APP_FIELDS,
  },
  command: {
    examples: [
      "marquee app enter spotify 0123456789abcdef0123456789abcdef --client-secret-file ./spotify-secret",
    ],
  },
  async run({ accounts, sources }, { source: id, clientId, clientSecret }) {
    const source = sources.byId(id);
    if (!source?.oauth) throw new Refused("connection.noApp", { source: source?.name ?? id });
    if (source.oauth.appIsFixed) throw new Refused("connection.appFixed", { source: source.name });
    await accounts.upstreams.enterApp(source.id, { clientId, clientSecret });
    return { source: source.id, client_id: clientId };
  },
  documents: (entered) => [entered],
  notice: ({ dashboard: { music: t } }) => good(t.appSaved),
});
