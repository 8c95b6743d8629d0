import { STREAM_STARTED, STREAM_STOPPED } from "./state.ts";

/** What OBS offers to the pages of browser sources: https://github.com/obsproject/obs-browser */
interface ObsStudio {
  getStatus?(tell: (status: { readonly streaming?: boolean }) => void): void;
}

/**
 * Says when OBS starts and stops streaming, once the server has asked. Of all that OBS tells, only
 * that is passed on.
 */
export function createStreaming(say: (message: string) => void) {
  let isWanted = false;
  const tell = (isStreaming: boolean) => {
    if (isWanted) say(isStreaming ? STREAM_STARTED : STREAM_STOPPED);
  };
  window.addEventListener("obsStreamingStarted", () => tell(true));
  window.addEventListener("obsStreamingStopped", () => tell(false));
  return {
    /** Each time the page has connected: the server may not know yet what is so by now. */
    ask(wanted: boolean) {
      isWanted = wanted;
      if (!wanted) return;
      const { obsstudio } = window as { obsstudio?: ObsStudio };
      obsstudio?.getStatus?.(({ streaming }) => tell(streaming === true));
    },
  };
}
