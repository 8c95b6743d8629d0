import { isNotUnique } from "../db/errors.ts";
import type { Refused } from "../i18n/refused.ts";

/**
 * Writes what gives a widget a name: two widgets of a user may not have the same.
 * @throws {Refused} `refused` when another one has it
 */
export const naming = async <Result>(
  refused: Refused,
  write: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await write();
  } catch (error) {
    throw isNotUnique(error) ? refused : error;
  }
};
