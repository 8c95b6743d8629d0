import { and, asc, eq } from "drizzle-orm";
import { fonts } from "../db/schema.ts";
import { AccountError, type AccountsContext } from "../accounts/context.ts";
import { createFontId } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";

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

/** The rule for the names of fonts, as the end of a sentence: "must be …". */
const FONT_NAME_RULE = `1 to ${LONGEST_FONT_NAME} letters, digits, spaces and hyphens`;

/** A font cannot be stored; the message says why. */
export class FontError extends AccountError {
  readonly reason:
    "bad name" | "name taken" | "not WOFF2" | "too large" | "too many" | "there already";
  constructor(reason: FontError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A user's fonts. */
export interface Fonts {
  /** The fonts of a user, the oldest first. */
  allOf(user: Pick<User, "id">): readonly Font[];
  /** @param name at most 40 letters, digits, spaces and hyphens @throws {FontError} */
  add(user: Pick<User, "id">, name: string, bytes: Uint8Array): Promise<Font>;
  /** Removes a font if it is the user's, and returns it. */
  remove(user: Pick<User, "id">, id: string): Promise<Font | undefined>;
  /** A font's bytes, whosever it is. */
  bytesOf(id: string): Uint8Array | undefined;
}

export function createFonts({ store, wallMs }: AccountsContext): Fonts {
  const { queries } = store;
  const columns = { id: fonts.id, name: fonts.name };

  return {
    allOf: ({ id }) =>
      queries
        .select(columns)
        .from(fonts)
        .where(eq(fonts.userId, id))
        .orderBy(asc(fonts.createdAt), asc(fonts.name))
        .all(),
    async add({ id: userId }, typedName, bytes) {
      const name = readFontName(typedName);
      if (name === undefined) {
        throw new FontError("bad name", `A font's name must be ${FONT_NAME_RULE}.`);
      }
      if (bytes.length > LARGEST_FONT) {
        throw new FontError("too large", `A font must be at most ${LARGEST_FONT} bytes.`);
      }
      if (!isWoff2(bytes)) {
        throw new FontError("not WOFF2", "The file is not a complete WOFF2 font.");
      }
      const sha256 = Buffer.from(new Bun.CryptoHasher("sha256").update(bytes).digest());
      const font: Font = { id: createFontId(), name };
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
    remove: ({ id: userId }, id) =>
      store.write({ userId, what: "fonts" }, (tx) =>
        tx
          .delete(fonts)
          .where(and(eq(fonts.userId, userId), eq(fonts.id, id)))
          .returning(columns)
          .get(),
      ),
    bytesOf: (id) =>
      queries.select({ bytes: fonts.bytes }).from(fonts).where(eq(fonts.id, id)).get()?.bytes,
  };
}

/** @throws {FontError} unless a user who has these fonts may add another */
function refuseOneMore(
  own: readonly { readonly name: string; readonly sha256: Buffer }[],
  { name }: Pick<Font, "name">,
  sha256: Buffer,
): void {
  const same = own.find((font) => sha256.equals(font.sha256));
  if (same) {
    throw new FontError("there already", `This font is there as "${same.name}".`);
  }
  // Browsers do not tell families apart by the case of their letters.
  if (own.some((font) => font.name.toLowerCase() === name.toLowerCase())) {
    throw new FontError("name taken", `There is a font named "${name}" already.`);
  }
  if (own.length < MOST_FONTS) return;
  throw new FontError(
    "too many",
    `There are ${MOST_FONTS} fonts, which is the maximum. Remove one first.`,
  );
}

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
