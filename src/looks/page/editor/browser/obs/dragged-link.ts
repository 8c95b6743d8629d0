import type { ObsWidget } from "./browser-source.ts";

/**
 * The link that OBS turns into a browser source when it is dropped. OBS takes name and size from
 * these parameters, and leaves them out of the source's address:
 * https://github.com/obsproject/obs-studio/blob/master/frontend/widgets/OBSBasic_Dropfiles.cpp
 */
export function draggedLink({ address, name, width, height }: ObsWidget): string {
  // Qt reads a plus sign as itself, so a space has to be %20.
  const layer = `layer-name=${encodeURIComponent(name)}&layer-width=${width}&layer-height=${height}`;
  return `${address}${address.includes("?") ? "&" : "?"}${layer}`;
}

/** What programs take from a link that is dragged to them. */
export function fillDrag(data: DataTransfer, widget: ObsWidget): void {
  const link = draggedLink(widget);
  data.effectAllowed = "copyLink";
  // Firefox hands links to other programs in a format of its own, together with their title.
  data.setData("text/x-moz-url", `${link}\n${widget.name}`);
  data.setData("text/uri-list", link);
  data.setData("text/plain", link);
}
