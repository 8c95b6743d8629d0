import { fill } from "../../../../i18n/fill.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import { paletteOf } from "./palette.ts";

const MOST_SWATCHES = 6;
/** So many pixels a side are enough to see a picture's colours. */
const SIDE_PX = 48;

/** Offers the colours of the cover in the preview beside each colour. */
export function offerSwatches(frame: HTMLIFrameElement): void {
  const places = [...document.querySelectorAll<HTMLElement>("[data-swatches]")];
  let shown = "";

  const follow = async () => {
    const cover = frame.contentDocument?.querySelector<HTMLImageElement>(".np-art-img")?.src ?? "";
    if (cover === shown) return;
    shown = cover;
    const colours = cover === "" ? [] : await coloursOf(cover).catch(() => []);
    if (cover !== shown) return;
    for (const place of places) {
      place.replaceChildren(...colours.map((colour) => swatch(place, colour)));
    }
  };
  const watch = () => {
    const document = frame.contentDocument;
    if (!document?.querySelector(".np")) return;
    const changes = new MutationObserver(() => void follow());
    changes.observe(document, { subtree: true, attributes: true, attributeFilter: ["src"] });
    void follow();
  };
  frame.addEventListener("load", watch);
  watch();
}

function swatch(place: HTMLElement, colour: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.style.background = colour;
  button.title = fill(place.dataset["text"] ?? "", { colour });
  button.ariaLabel = button.title;
  button.addEventListener("click", () => {
    const input = find<HTMLInputElement>(`#${place.dataset["swatches"]}`);
    input.value = colour;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return button;
}

async function coloursOf(address: string): Promise<readonly string[]> {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = new OffscreenCanvas(SIDE_PX, SIDE_PX);
  const context = canvas.getContext("2d");
  if (!context) return [];
  context.drawImage(image, 0, 0, SIDE_PX, SIDE_PX);
  return paletteOf(context.getImageData(0, 0, SIDE_PX, SIDE_PX).data, MOST_SWATCHES);
}
