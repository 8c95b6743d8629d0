/** Fields named `music_…`, named after the setting instead, in their order. */
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
