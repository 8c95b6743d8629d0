import type { FoundPlayer, Search } from "../../here/found.ts";
import { trackOf } from "../../here/found.ts";
import { ASK_ALL, readAnswer } from "./answer.ts";
import { connectMpd, type MpdAddress, type MpdNetwork } from "./connection.ts";
import { ACK_PERMISSION, MpdRefusal } from "./protocol.ts";

/** @param settings those with which the address is connected */
export async function find(
  address: MpdAddress,
  settings: Readonly<Record<string, string>>,
  search: Search & { readonly network: MpdNetwork },
): Promise<FoundPlayer[]> {
  const connection = await connectMpd(address, undefined, search);
  try {
    const answer = await connection.send(ASK_ALL);
    return [{ settings, track: trackOf(readAnswer(answer, search.clock.monotonicMs())) }];
  } catch (error) {
    const isLocked = error instanceof MpdRefusal && error.code === ACK_PERMISSION;
    if (!isLocked) throw error;
    return [{ settings, needs: "password" }];
  } finally {
    connection.close();
  }
}
