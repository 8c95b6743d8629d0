/** Redirects a browser without revealing the address that it comes from. */
export function redirect(
  location: string,
  status: 302 | 303,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(null, {
    status,
    headers: {
      Location: location,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      ...headers,
    },
  });
}
