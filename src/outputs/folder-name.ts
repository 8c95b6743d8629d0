/** Names that Windows keeps for devices: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** The name of a user's folder of files. No user's name begins with `_`. */
export const folderNameOf = (userName: string): string =>
  WINDOWS_DEVICE.test(userName) ? `_${userName}` : userName;
