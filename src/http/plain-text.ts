type Headers = Readonly<Record<string, string>>;

/** A short text answer for programs and people. */
export const plainText = (status: number, text: string, headers: Headers = {}): Response =>
  withoutLineBreak(status, `${text}\n`, headers);

/** The same without a line break at the end, as some chat bots would print it. */
export const withoutLineBreak = (status: number, text: string, headers: Headers = {}): Response =>
  new Response(text, {
    status,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
  });

/** The answer to a method that a path does not have. */
export const methodNotAllowed = (allowed: string): Response =>
  plainText(405, "Method not allowed", { Allow: allowed });

/** The answer to who asks too much at once. */
export const tooMuch = (text: string, waitSeconds: number): Response =>
  plainText(429, text, { "Retry-After": String(waitSeconds) });
