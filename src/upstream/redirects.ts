const REDIRECTS = [301, 302, 303, 307, 308];
export const MOST_REDIRECTS = 3;

/** Where an answer redirects to, if a request may lead there. */
export function redirectOf(
  from: URL,
  { status, headers }: Pick<Response, "status" | "headers">,
  mayLead: (to: URL) => boolean,
): URL | undefined {
  const location = headers.get("location");
  if (!REDIRECTS.includes(status) || location === null) return undefined;
  const to = URL.parse(location, from.href);
  return to !== null && !to.username && !to.password && mayLead(to) ? to : undefined;
}
