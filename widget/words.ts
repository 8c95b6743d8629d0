/** The texts of an overlay, in the page's language. */
export interface WidgetWords {
  readonly nowPlaying: string;
  readonly paused: string;
  readonly nothingPlaying: string;
  readonly by: string;
  /** The screen reader's label for the whole overlay. */
  readonly overlay: string;
}
