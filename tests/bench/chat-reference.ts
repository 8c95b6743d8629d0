/**
 * What chats and overlays need at least, the references for `chat.ts`: `chat-reference answer` reads
 * accounts from its input and answers every message of their chats; `chat-reference show PORT` tells
 * all sockets when it is asked to.
 */
const [mode, port] = process.argv.slice(2);
if (mode === "show") serveSockets(Number(port));
else await answerChats(await Bun.stdin.json());

interface Chats {
  readonly clientId: string;
  readonly apiUrl: string;
  readonly eventsubUrl: string;
  readonly accounts: readonly { readonly accessToken: string; readonly userId: string }[];
}

async function answerChats({ clientId, apiUrl, eventsubUrl, accounts }: Chats): Promise<void> {
  for (const { accessToken, userId } of accounts) {
    const post = async (path: string, body: object) => {
      const headers = {
        authorization: `Bearer ${accessToken}`,
        "client-id": clientId,
        "content-type": "application/json",
      };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      await (await fetch(`${apiUrl}${path}`, init)).arrayBuffer();
    };
    new WebSocket(eventsubUrl).onmessage = ({ data }) => {
      const { metadata, payload } = JSON.parse(String(data));
      if (metadata.message_type === "session_welcome") {
        void post("/eventsub/subscriptions", {
          ...{ type: "channel.chat.message", version: "1" },
          condition: { broadcaster_user_id: userId, user_id: userId },
          transport: { method: "websocket", session_id: payload.session.id },
        });
      }
      if (payload.event?.message.text === "!song") {
        const line = { broadcaster_id: userId, sender_id: userId, message: "♪" };
        void post("/chat/messages", { ...line, reply_parent_message_id: payload.event.message_id });
      }
    };
  }
}

function serveSockets(port: number): void {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    websocket: {
      open: (socket) => {
        socket.subscribe("all");
        socket.send('{"type":"state"}');
      },
      message() {},
    },
    fetch(request, upgrader) {
      if (upgrader.upgrade(request, { data: undefined })) return undefined;
      server.publish("all", '{"type":"demand","forMs":15000}');
      return new Response(null, { status: 204 });
    },
  });
}
