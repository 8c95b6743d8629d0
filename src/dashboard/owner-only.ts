import type { User } from "../accounts/users.ts";
import type { SectionName } from "../html/section-paths.ts";

/** Sections that only the owner of the server sees. */
const OWNER_ONLY: readonly SectionName[] = ["server"];

export const mayOpen = ({ role }: Pick<User, "role">, section: SectionName): boolean =>
  role === "owner" || !OWNER_ONLY.includes(section);
