/** The code of an error of the system or the network, such as `ENOENT` or `ECONNREFUSED`. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
