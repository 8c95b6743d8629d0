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
  /** The path of the same with the user's music, which the page's script shows once there is some. */
  readonly ownPath?: string | undefined;
  /** Whether the page's script makes its frame, when it is seen. */
  readonly isDeferred?: boolean;
}

/** A look over a picture like that of a game, as small as it has to be. */
export function LookPreview(props: LookPreviewProps): JSX.Element {
  const { title, path, look, css, ownPath, isDeferred } = props;
  const { width, height } = sizeOf(look);
  const frame = (
    <iframe
      title={attribute(title)}
      tabindex="-1"
      loading="lazy"
      src={attribute(path)}
      data-preview-css={css ? attribute(css) : undefined}
      data-own-path={ownPath === undefined ? undefined : attribute(ownPath)}
    />
  );
  return (
    <div class="screen game" style={`--source-width:${width};--source-height:${height}`}>
      <div class="stage">
        {isDeferred ? (
          <>
            <template data-frame>{frame as "safe"}</template>
            <noscript>{frame as "safe"}</noscript>
          </>
        ) : (
          (frame as "safe")
        )}
      </div>
    </div>
  );
}
