import type { Cookies } from "../http/cookies.ts";
import { redirect } from "../http/redirect.ts";
import { createSealedCookie, type SealedCookieDeps } from "../http/sealed-cookie.ts";
import type { SignedIn } from "../http/session-cookie.ts";
import type { Language } from "../languages.ts";
import { pathTo, type SectionName } from "./section-paths.ts";

/** The result of a form. */
export interface Notice {
  readonly tone: "good" | "warn" | "bad";
  readonly text: string;
  /** Values that are shown only once, to be copied. */
  readonly shownOnce?: readonly { readonly label: string; readonly value: string }[];
  /** The action that takes it back, with the texts of its form and the label of its button. */
  readonly undo?: {
    readonly action: string;
    readonly texts: Readonly<Record<string, string>>;
    readonly label: string;
  };
  /**
   * The query of the address that shows it, such as `id=1`: a notice is shown only where the
   * address has the same id. Without it, where the address has none.
   */
  readonly at?: string;
  /** The id of the element that the browser goes to. */
  readonly anchor?: string;
  /** The language of the page that shows it; without it, that of the form. */
  readonly language?: Language;
}

/** The section of the dashboard that shows a notice, in a language. */
export interface NoticeTarget {
  readonly section: SectionName;
  readonly basePath: string;
  readonly language: Language;
}

/** A notice that was not shown within this time is dropped. */
const NOTICE_LIFETIME_MS = 5 * 60_000;
/** Browsers keep cookies of 4,096 bytes, their names and attributes included. */
const MOST_COOKIE_BYTES = 4_000;

/** A notice that is not shown yet, with the session that it is for. */
interface SentNotice {
  readonly sessionId: string;
  /** The id in the address that shows it. */
  readonly id: string | null;
  readonly notice: Notice;
}

type NoticesDeps = SealedCookieDeps & { readonly cookies: Pick<Cookies, "forPath"> };

/**
 * Carries notices from a form to the page that shows them. One may contain a new key, so its cookie is
 * sealed and sent only to its section.
 */
export function createNotices(deps: NoticesDeps) {
  const sealed = createSealedCookie<SentNotice>(deps, "notice", NOTICE_LIFETIME_MS);
  const cookieOf = (target: NoticeTarget) =>
    deps.cookies.forPath(`notice-${target.section}`, pathTo(target, target.section));

  return {
    /** Redirects to the page that shows the notice; `undefined` when it is too long for a cookie. */
    send({ user, session }: SignedIn, from: NoticeTarget, given: Notice) {
      const { at = "", anchor, language = from.language, ...notice } = given;
      const target = { ...from, language };
      const id = new URLSearchParams(at).get("id");
      const value = sealed.seal(user.id, { sessionId: session.id, id, notice });
      const sent = cookieOf(target).set(value, NOTICE_LIFETIME_MS / 1000);
      if (sent.length > MOST_COOKIE_BYTES) return undefined;
      const query = at === "" ? "" : `?${at}`;
      const hash = anchor === undefined ? "" : `#${anchor}`;
      const path = pathTo(target, target.section) + query + hash;
      return redirect(path, 303, { "Set-Cookie": sent });
    },
    /** The notice for this session and this page. */
    of(request: Request, { user, session }: SignedIn, target: NoticeTarget) {
      const sent = sealed.open(user.id, cookieOf(target).of(request));
      if (sent?.sessionId !== session.id) return undefined;
      const isHere = new URL(request.url).searchParams.get("id") === sent.id;
      return isHere ? sent.notice : undefined;
    },
    /** The `Set-Cookie` header that drops a notice once it is shown. */
    drop: (target: NoticeTarget) => cookieOf(target).drop(),
  };
}
