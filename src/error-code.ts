/** The code of an error of the system or the network, such as `ENOENT` or `ECONNREFUSED`. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the disk is read-only",
  EACCES: "this program has no permission there",
  EPERM: "this program has no permission there",
  ENOTDIR: "there is a file where the folder should be",
  EEXIST: "there is a file where the folder should be",
  EISDIR: "there is a folder where the file should be",
};

/** Why a file or folder cannot be used, in words; `undefined` for what the system says rarely. */
export const meaningOf = (error: unknown): string | undefined => MEANINGS[errorCode(error) ?? ""];
