/** Sends a browser on; the address it comes from is told to nobody. */
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
