import { and, asc, eq } from "drizzle-orm";
import { fonts } from "../db/schema.ts";
import type { AccountsContext } from "../accounts/context.ts";
import { createFileId } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import { Refused } from "../i18n/refused.ts";

/** A font that a user's widgets may use. */
export interface Font {
  /** Unguessable: it is in the font's public address. */
  readonly id: string;
  /** The family's name in options and CSS. */
  readonly name: string;
}

/** The maximum of fonts per user. */
export const MOST_FONTS = 8;
/** In bytes. */
export const LARGEST_FONT = 1_000_000;
export const LONGEST_FONT_NAME = 40;

/** A user's fonts. */
export type Fonts = ReturnType<typeof createFonts>;

export function createFonts({ store, wallMs }: AccountsContext) {
  const { queries } = store;
  const columns = { id: fonts.id, name: fonts.name };

  return {
    /** The fonts of a user, the oldest first. */
    allOf: ({ id }: Pick<User, "id">) =>
      queries
        .select(columns)
        .from(fonts)
        .where(eq(fonts.userId, id))
        .orderBy(asc(fonts.createdAt), asc(fonts.name))
        .all(),
    /** @param typedName at most 40 letters, digits, spaces and hyphens @throws {Refused} */
    async add({ id: userId }: Pick<User, "id">, typedName: string, bytes: Uint8Array) {
      const name = readFontName(typedName);
      if (name === undefined) throw refused("name", "name");
      if (bytes.length > LARGEST_FONT) throw refused("tooLarge", "file");
      if (!isWoff2(bytes)) throw refused("notWoff2", "file");
      const sha256 = Buffer.from(new Bun.CryptoHasher("sha256").update(bytes).digest());
      const font: Font = { id: createFileId(), name };
      const row = { ...font, userId, sha256, bytes: Buffer.from(bytes), createdAt: wallMs() };
      await store.write({ userId, what: "fonts" }, (tx) => {
        const own = tx
          .select({ name: fonts.name, sha256: fonts.sha256 })
          .from(fonts)
          .where(eq(fonts.userId, userId))
          .all();
        refuseOneMore(own, font, sha256);
        tx.insert(fonts).values(row).run();
      });
      return font;
    },
    /** @throws {Refused} when the user has no such font */
    async remove({ id: userId }: Pick<User, "id">, id: string) {
      const removed = await store.write({ userId, what: "fonts" }, (tx) =>
        tx
          .delete(fonts)
          .where(and(eq(fonts.userId, userId), eq(fonts.id, id)))
          .returning(columns)
          .get(),
      );
      if (!removed) throw new Refused("font.unknown");
      return removed;
    },
    /** A font's bytes, whosever it is. */
    bytesOf: (id: string) =>
      queries.select({ bytes: fonts.bytes }).from(fonts).where(eq(fonts.id, id)).get()?.bytes,
  };
}

/** @throws {Refused} unless a user who has these fonts may add another */
function refuseOneMore(
  own: readonly { readonly name: string; readonly sha256: Buffer }[],
  { name }: Pick<Font, "name">,
  sha256: Buffer,
): void {
  const same = own.find((font) => sha256.equals(font.sha256));
  if (same) {
    throw new Refused("font.thereAlready", { name: same.name }, { field: "file" });
  }
  // Browsers do not tell families apart by the case of their letters.
  if (own.some((font) => font.name.toLowerCase() === name.toLowerCase())) {
    throw new Refused("font.taken", {}, { field: "name" });
  }
  if (own.length >= MOST_FONTS) throw new Refused("font.tooMany", { most: String(MOST_FONTS) });
}

/** What no user could add. */
const refused = (reason: "name" | "tooLarge" | "notWoff2", field: "name" | "file"): Refused =>
  new Refused(`font.${reason}`, {}, { field, isMisuse: true });

/** The name that was typed for a font, as the option `font` can take it; else `undefined`. */
function readFontName(typed: string): string | undefined {
  const name = typed.normalize("NFC").trim().replaceAll(/ +/g, " ");
  return name.length <= LONGEST_FONT_NAME && /^[\p{L}\p{N}][\p{L}\p{N} -]*$/u.test(name)
    ? name
    : undefined;
}

const SIGNATURE = "wOF2";
const HEADER_BYTES = 48;
/** TrueType outlines, CFF outlines, Apple's TrueType, and a collection. */
const FLAVORS = new Set(["\0\x01\0\0", "OTTO", "true", "ttcf"]);
/** Browsers refuse fonts that are larger once they are unpacked. */
const LARGEST_UNPACKED = 30 * 1024 * 1024;

/** Whether a file's header is that of a whole WOFF2 file: https://www.w3.org/TR/WOFF2/#woff20Header */
function isWoff2(bytes: Uint8Array): boolean {
  if (bytes.length <= HEADER_BYTES) return false;
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const tagAt = (offset: number) =>
    String.fromCharCode(...bytes.subarray(offset, offset + SIGNATURE.length));
  const tables = header.getUint16(12);
  const unpackedBytes = header.getUint32(16);
  const packedBytes = header.getUint32(20);
  /** A block at an offset and of a length that both stand in the header; zero when there is none. */
  const isInside = (at: number) => {
    const [offset, length] = [header.getUint32(at), header.getUint32(at + 4)];
    return length === 0 || (offset >= HEADER_BYTES && offset + length <= bytes.length);
  };
  return (
    tagAt(0) === SIGNATURE &&
    FLAVORS.has(tagAt(4)) &&
    header.getUint32(8) === bytes.length &&
    tables > 0 &&
    unpackedBytes > 0 &&
    unpackedBytes <= LARGEST_UNPACKED &&
    packedBytes > 0 &&
    HEADER_BYTES + packedBytes <= bytes.length &&
    isInside(28) &&
    isInside(40)
  );
}
