/** Renames fields `music_…` to start with the prefix from the settings, in the same order. */
export const withMusicPrefix = <Value>(
  fields: Readonly<Record<string, Value>>,
  musicPrefix: string,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/^music_/, `${musicPrefix}_`),
      value,
    ]),
  );
