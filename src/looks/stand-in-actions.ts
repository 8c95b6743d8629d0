import { action, good } from "../actions/action.ts";
import { uploadedFile } from "../actions/uploaded-file.ts";
import { drawUpload, LARGEST_PICTURE, LONGEST_SIDE_PX } from "../artwork/uploaded-picture.ts";

const picture = uploadedFile({
  help: `a PNG, JPEG or WebP picture of at most 1 MB and ${LONGEST_SIDE_PX} pixels a side`,
  allowed: "a PNG, JPEG or WebP picture",
  largest: LARGEST_PICTURE,
  refusals: "cover",
});

export const setStandInCover = action({
  name: "cover set",
  help: "choose the picture that a user's overlays show where a track has no cover",
  who: "self",
  inputs: { file: picture.input },
  command: { examples: ["marquee cover set ada logo.png"], readHere: picture.readHere },
  run: ({ accounts, user }, { file }) => accounts.standInCovers.set(user, () => drawUpload(file)),
  documents: (id) => [{ id }],
  notice: ({ dashboard }) => good(dashboard.widget.editor.standIn.saved),
});

export const removeStandInCover = action({
  name: "cover remove",
  help: "remove that picture",
  who: "self",
  inputs: {},
  async run({ accounts, user }) {
    await accounts.standInCovers.remove(user);
    return { username: user.name };
  },
  documents: (removed) => [removed],
  notice: ({ dashboard }) => good(dashboard.widget.editor.standIn.removed),
});
