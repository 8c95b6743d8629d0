import { standInCoverAddress } from "../../../../addresses.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { OverlaySetup } from "../setup.ts";
import { followUploads } from "./uploads.ts";

const SHOWN_PX = 96;

/** Sets and removes the picture for tracks without a cover. The preview gets it as all overlays do. */
export function changeStandIn(setup: OverlaySetup): void {
  const { section, change, onFile } = followUploads(setup, "stand-in", "/cover");
  const current = find<HTMLElement>("[data-current]", section);

  const show = (id: string | undefined) => {
    current.hidden = id === undefined;
    current.querySelector("img")?.remove();
    if (id === undefined) return;
    const image = new Image(SHOWN_PX, SHOWN_PX);
    image.alt = current.dataset["alternative"] ?? "";
    image.src = standInCoverAddress(setup.basePath, id);
    current.prepend(image);
  };

  find("[data-remove]", current).addEventListener("click", async () => {
    if (await change("cover remove", {}, "removed")) show(undefined);
  });
  onFile(async (file) => {
    const saved = await change<{ id: string }>("cover set", { file }, "added");
    if (saved) show(saved.id);
    return saved !== undefined;
  });
  show(setup.standIn);
}
