import { connectToObs, type Obs, type ObsAccess } from "./connection.ts";
import { mayAsk, ObsError, type Surroundings, whyNotReached } from "./protocol.ts";

const PATIENCE_MS = 5_000;
/** The browser asks its user first, who has to read and think. */
const PATIENCE_WHILE_ASKED_MS = 60_000;

/** @param onStart called with whether the browser may ask the user first. @throws ObsError */
export async function reachObs(
  access: Omit<ObsAccess, "patienceMs">,
  onStart: (mayAsk: boolean) => void,
): Promise<Obs> {
  const asked = mayAsk(await surroundingsOf());
  onStart(asked);
  const patienceMs = asked ? PATIENCE_WHILE_ASKED_MS : PATIENCE_MS;
  return connectToObs({ ...access, patienceMs }).catch(async (error) => {
    const isUnreached = error instanceof ObsError && error.failure === "off";
    throw isUnreached ? new ObsError(whyNotReached(await surroundingsOf())) : error;
  });
}

async function surroundingsOf(): Promise<Surroundings> {
  return {
    protocol: location.protocol,
    hostname: location.hostname,
    userAgent: navigator.userAgent,
    permission: await loopbackPermission(),
  };
}

/** The permission's name has changed; browsers throw for names that they do not know. */
async function loopbackPermission(): Promise<PermissionState | undefined> {
  for (const name of ["loopback-network", "local-network-access"]) {
    try {
      // TypeScript's list of permissions is older than these.
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state;
    } catch {
      continue;
    }
  }
  return undefined;
}
