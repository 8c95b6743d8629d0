/** What programs that broadcast are answered. Each answer but the first two ends its connection. */

const answer = (status: string, body = "", fields: readonly string[] = []): string =>
  [
    `HTTP/1.0 ${status}`,
    "Server: Marquee",
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...fields,
    "",
    body,
  ].join("\r\n");

export const GO_ON = "HTTP/1.1 100 Continue\r\nServer: Marquee\r\n\r\n";
export const ON_AIR = "HTTP/1.0 200 OK\r\nServer: Marquee\r\n\r\n";

/** libshout broadcasts only after it was asked for a password. */
export const UNAUTHORIZED = answer("401 Unauthorized", "", [
  'WWW-Authenticate: Basic realm="Marquee"',
]);
export const limited = (waitSeconds: number): string =>
  answer("429 Too Many Requests", "", [`Retry-After: ${waitSeconds}`]);
export const OCCUPIED = answer(
  "403 Mountpoint in use",
  "Another program broadcasts with this password.\n",
);
export const NOT_FOUND = answer("404 Not Found");
export const BAD_REQUEST = answer("400 Bad Request");
export const TOO_LARGE = answer("431 Request Header Fields Too Large");
export const OPTIONS = answer("204 No Content", "", ["Allow: GET, SOURCE, PUT, OPTIONS"]);

const icecastAnswer = (status: string, message: string, isDone: boolean): string =>
  answer(
    status,
    `<?xml version="1.0"?>\n<iceresponse><message>${message}</message><return>${Number(isDone)}</return></iceresponse>\n`,
    ["Content-Type: text/xml"],
  );
export const TITLE_TAKEN = icecastAnswer("200 OK", "Metadata update successful", true);
export const NOBODY_ON_AIR = icecastAnswer(
  "400 Source does not exist",
  "Source does not exist",
  false,
);

/** What butt asks every three seconds, to show how many listen. It says nothing of anybody. */
export const STATUSES: ReadonlyMap<string, string> = new Map([
  [
    "/status-json.xsl",
    answer("200 OK", '{"icestats":{"server_id":"Marquee"}}', ["Content-Type: application/json"]),
  ],
  [
    "/7.xsl",
    answer("200 OK", "<html><body>0,1,0,0,0,0,</body></html>", ["Content-Type: text/html"]),
  ],
]);
