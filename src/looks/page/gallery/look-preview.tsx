import type { Look } from "../../look.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { sizeOf } from "../../../../widget/source-size.ts";

export interface LookPreviewProps {
  readonly title: string;
  /** Path of an overlay's page on this server. */
  readonly path: string;
  readonly look: Look;
  /** Put into the preview by the page's script: CSS that the overlay's page does not have itself. */
  readonly css?: string;
}

/** A look over a picture like that of a game, as small as it has to be. */
export function LookPreview({ title, path, look, css }: LookPreviewProps): JSX.Element {
  const { width, height } = sizeOf(look);
  return (
    <div class="screen game" style={`--source-width:${width};--source-height:${height}`}>
      <div class="stage">
        <iframe
          title={attribute(title)}
          tabindex="-1"
          loading="lazy"
          src={attribute(path)}
          data-preview-css={css ? attribute(css) : undefined}
        />
      </div>
    </div>
  );
}
