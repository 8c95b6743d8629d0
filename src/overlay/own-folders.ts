/** Names folders of this server as sources of a content policy. */
export type OwnFolders = (...folders: readonly string[]) => string;

/**
 * A policy that allowed the whole server would let the CSS of a stranger's look ask for anything
 * here with a secret or a key of the stranger's, who would see in his dashboard that it was asked
 * for. Folders are named with the host that the page was asked for by, and with the public one,
 * which a proxy may have replaced. A host that a policy cannot name, such as an IPv6 address, is
 * allowed as a whole.
 * @param host the request's `Host` header
 * @param baseUrl without a slash at the end
 */
export function ownFolders(host: string | null, baseUrl: string): OwnFolders {
  const base = new URL(baseUrl);
  const hosts = [...new Set([base.host, host ?? base.host])];
  if (!hosts.every((one) => NAMEABLE.test(one))) return () => "'self'";
  const path = base.pathname.replace(/\/$/, "");
  return (...folders) =>
    hosts.flatMap((one) => folders.map((folder) => `${one}${path}/${folder}/`)).join(" ");
}

/** https://www.w3.org/TR/CSP3/#grammardef-host-source */
const NAMEABLE = /^[0-9a-z-]+(?:\.[0-9a-z-]+)*(?::\d+)?$/i;
