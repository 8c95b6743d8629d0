import type { OfferedFile } from "./request.ts";

/** A file that the browser saves. Nothing is produced for a client that does not take it. */
export const download = ({ name, type, body }: OfferedFile): Response =>
  // @ts-expect-error The browser's types, which we also use, do not know what makes a stream of parts.
  new Response(typeof body === "object" && "next" in body ? ReadableStream.from(body) : body, {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
