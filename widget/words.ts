/** The words an overlay shows, in the page's language. */
export interface WidgetWords {
  readonly nowPlaying: string;
  readonly paused: string;
  readonly nothingPlaying: string;
  readonly by: string;
  /** What a screen reader says of the whole overlay. */
  readonly overlay: string;
}
