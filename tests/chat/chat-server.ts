/** A server whose users link their chats at the stand-in Twitch. */
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { assembleTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { type StandInTwitch, startTwitch } from "../fixtures/twitch/twitch.ts";

// They are loaded when first needed, which no clock that stands still waits for.
await import("../../src/upstream/socket.ts");
await import("../../src/chat/service.ts");

export interface ChatServer extends TestServer {
  readonly twitch: StandInTwitch;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startChatServer(): Promise<ChatServer> {
  const clock = createFakeClock();
  const twitch = startTwitch({ clock });
  const { idUrl: twitchIdUrl, apiUrl: twitchApiUrl, eventsubUrl: twitchEventsubUrl } = twitch;
  const server = await assembleTestServer(clock, {
    settings: { twitchIdUrl, twitchApiUrl, twitchEventsubUrl },
    fetch: (url, init) => fetch(url, init),
  });
  return {
    ...{ ...server, twitch },
    async [Symbol.asyncDispose]() {
      await server.app.stop();
      server.close();
      await twitch.stop();
    },
  };
}
