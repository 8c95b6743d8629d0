/** The headers of a file whose address changes with its content: browsers keep it for good. */
export const immutableFile = (type: string) =>
  ({
    "Content-Type": type,
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
  }) as const;
