/** The word with which this program reads the media sessions of Windows, for itself alone. */
export const READER_COMMAND = "smtc-reader";
