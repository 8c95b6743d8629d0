import { STREAM_STARTED, STREAM_STOPPED } from "./state.ts";

/** What OBS offers to the pages of browser sources: https://github.com/obsproject/obs-browser */
interface ObsStudio {
  getStatus?(report: (status: { readonly streaming?: boolean }) => void): void;
}

/**
 * Says when OBS starts and stops streaming, once the server has asked. Of all that OBS reports, only
 * that is passed on.
 */
export function createStreaming(say: (message: string) => void) {
  let isWanted = false;
  const report = (isStreaming: boolean) => {
    if (isWanted) say(isStreaming ? STREAM_STARTED : STREAM_STOPPED);
  };
  window.addEventListener("obsStreamingStarted", () => report(true));
  window.addEventListener("obsStreamingStopped", () => report(false));
  return {
    /** Each time the page has connected: the server may not know yet what is so by now. */
    ask(wanted: boolean) {
      isWanted = wanted;
      if (!wanted) return;
      const { obsstudio } = window as { obsstudio?: ObsStudio };
      obsstudio?.getStatus?.(({ streaming }) => report(streaming === true));
    },
  };
}
