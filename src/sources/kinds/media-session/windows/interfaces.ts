/**
 * The interfaces of Windows that the reader calls, and the places of their methods in the tables of
 * addresses, counted from 0. Places 0 to 2 are IUnknown's, 3 to 5 IInspectable's.
 * https://learn.microsoft.com/en-us/uwp/api/windows.media.control
 *
 * Places 10 to 24 of a session are commands, such as play and next. They must never be called: a
 * wrong number here would control the player.
 */

export const UNKNOWN = { queryInterface: 0, addRef: 1, release: 2 } as const;

export const CLASSES = {
  manager: "Windows.Media.Control.GlobalSystemMediaTransportControlsSessionManager",
  buffer: "Windows.Storage.Streams.Buffer",
} as const;

export const INTERFACES = {
  managerStatics: { id: "2050c4ee-11a0-57de-aed7-c97c70338245", slots: { requestAsync: 6 } },
  manager: {
    id: "cace8eac-e86e-504a-ab31-5ff8ff1bce49",
    slots: { getCurrentSession: 6, getSessions: 7 },
  },
  session: {
    id: "7148c835-9b14-5ae2-ab85-dc9b1c14e1a8",
    slots: {
      sourceAppUserModelId: 6,
      tryGetMediaPropertiesAsync: 7,
      getTimelineProperties: 8,
      getPlaybackInfo: 9,
    },
  },
  mediaProperties: {
    id: "68856cf6-adb4-54b2-ac16-05837907acb6",
    slots: {
      title: 6,
      albumArtist: 8,
      artist: 9,
      albumTitle: 10,
      trackNumber: 11,
      playbackType: 14,
      thumbnail: 15,
    },
  },
  playbackInfo: {
    id: "94b4b6cf-e8ba-51ad-87a7-c10ade106127",
    slots: { playbackStatus: 7, playbackType: 8, playbackRate: 10 },
  },
  timeline: {
    id: "ede34136-6f25-588d-8ecf-ea5b6735aaa5",
    slots: { startTime: 6, endTime: 7, position: 10, lastUpdatedTime: 11 },
  },
  asyncInfo: {
    id: "00000036-0000-0000-c000-000000000046",
    slots: { status: 7, errorCode: 8, cancel: 9, close: 10 },
  },
  streamReference: {
    id: "33ee3134-1dd6-4e3a-8067-d1c162e8642b",
    slots: { openReadAsync: 6 },
  },
  randomAccessStream: { id: "905a0fe1-bc53-11df-8c49-001e4fc686da", slots: { size: 6 } },
  inputStream: { id: "905a0fe2-bc53-11df-8c49-001e4fc686da", slots: { readAsync: 6 } },
  contentTypeProvider: {
    id: "97d098a5-3b99-4de9-88a5-e11d2f50c795",
    slots: { contentType: 6 },
  },
  bufferFactory: { id: "71af914d-c10f-484b-bc50-14bc623b3a27", slots: { create: 6 } },
  buffer: { id: "905a0fe0-bc53-11df-8c49-001e4fc686da", slots: { capacity: 6, length: 7 } },
  bufferByteAccess: { id: "905a0fef-bc53-11df-8c49-001e4fc686da", slots: { buffer: 3 } },
  closable: { id: "30d5a829-7fa4-4026-83bb-d75bae4ea99e", slots: { close: 6 } },
} as const;

/** Those that come as they are, without an id of their own to ask for. */
export const GENERIC = {
  vectorView: { getAt: 6, size: 7 },
  reference: { value: 6 },
  asyncOperation: { getResults: 8 },
  asyncOperationWithProgress: { getResults: 10 },
} as const;
