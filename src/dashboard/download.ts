import type { OfferedFile } from "./request.ts";

/** A file that the browser saves. */
export const download = ({ name, type, body }: OfferedFile): Response =>
  new Response(typeof body === "object" && "next" in body ? streamOf(body) : body, {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });

/** The parts as they are read: nothing is produced for a client that does not take it. */
const streamOf = (parts: AsyncGenerator<string, void>): ReadableStream<string> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return();
    },
  });
