import type { Feature } from "../http/plugin.ts";
import { once } from "../once.ts";
import type { ChatDeps, ChatService } from "./service.ts";

export interface ChatFeature extends Feature {
  /** Loads what links accounts. */
  readonly service: () => Promise<ChatService>;
}

/**
 * Answers questions in users' chats. Its code is loaded when an account is linked: without any it
 * opens no connection.
 */
export function createChatFeature(deps: ChatDeps): ChatFeature {
  const { chat } = deps.accounts;
  let made: ChatService | undefined;
  let hasStarted = false;
  const service = once(async () => {
    const { createChatService } = await import("./service.ts");
    made = createChatService(deps);
    return made;
  });
  const follow = async () => {
    if (!made && !chat.allOf().some(({ state }) => state === "linked")) return;
    (await service()).follow();
  };
  return {
    service,
    async start() {
      hasStarted = true;
      await follow();
    },
    async follow({ concerns }) {
      if (hasStarted && concerns("users", "chat")) await follow();
    },
    stop: () => made?.stop(),
  };
}
