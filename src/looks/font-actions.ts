import { action, good } from "../actions/action.ts";
import { uploadedFile } from "../actions/uploaded-file.ts";
import { matching } from "../field.ts";
import { type Font, LARGEST_FONT, LONGEST_FONT_NAME } from "./fonts.ts";

const woff2 = uploadedFile({
  help: "a WOFF2 file of at most 1 MB",
  allowed: "a WOFF2 file",
  largest: LARGEST_FONT,
  refusals: "font",
});

const documentOf = ({ id, name }: Font) => ({ id, name });

export const addFont = action({
  name: "font add",
  help: "add a font that a user's overlays may use",
  who: "self",
  inputs: {
    name: {
      help: "the name by which options and CSS choose it",
      allowed: `1 to ${LONGEST_FONT_NAME} letters, digits, spaces and hyphens`,
      longest: LONGEST_FONT_NAME,
      refusal: "font.name",
      parse: (text: string) => text,
    },
    file: woff2.input,
  },
  command: {
    examples: ["marquee font add ada 'Open Sans' OpenSans.woff2"],
    readHere: woff2.readHere,
  },
  run: ({ accounts, user }, { name, file }) => accounts.fonts.add(user, name, file),
  documents: (font) => [documentOf(font)],
  notice: ({ dashboard }) => good(dashboard.widget.editor.fonts.added),
});

export const listFonts = action({
  name: "font list",
  help: "list a user's fonts",
  who: "self",
  inputs: {},
  run: ({ accounts, user }) => accounts.fonts.allOf(user),
  documents: (fonts) => fonts.map(documentOf),
  table: (fonts) => [["ID", "NAME"], ...fonts.map(({ id, name }) => [id, name])],
});

export const removeFont = action({
  name: "font remove",
  help: "remove a font; overlays that use it show the next one",
  who: "self",
  inputs: {
    id: {
      placeholder: "id",
      ...matching(/^[\w-]+$/, "an ID of the list"),
    },
  },
  run: ({ accounts, user }, { id }) => accounts.fonts.remove(user, id),
  documents: (font) => [documentOf(font)],
  notice: ({ dashboard }) => good(dashboard.widget.editor.fonts.removed),
});
