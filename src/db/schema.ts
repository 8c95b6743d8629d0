/** All tables. None comes before what its rows belong to. */
export { foundCovers, server, upstreams } from "./tables/server.ts";
export { apiKeys, magicLinks, privacy, sessions, users } from "./tables/accounts.ts";
export { fonts, standInCovers, widgetRevisions, widgets } from "./tables/looks.ts";
export { connections, connectionStatuses, histories, songs } from "./tables/music.ts";
export { hooks } from "./tables/hooks.ts";
export { chatAccounts } from "./tables/chat.ts";
