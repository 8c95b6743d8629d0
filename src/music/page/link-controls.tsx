import { Copyable, LinkButton } from "../../html/parts.tsx";
import { pathTo } from "../../html/section-paths.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { AppSteps } from "../../linking/app-form.tsx";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { LinkedSource } from "../../sources/source.ts";
import { isNamed } from "./connection-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { formOf } from "../../dashboard/action-form.tsx";
import { enterApp } from "../../linking/actions.ts";

interface LinkControlsProps {
  readonly request: DashboardRequest;
  readonly source: LinkedSource;
  readonly label: string;
  /** Whether it is the first of its source: an app is entered once for all its connections. */
  readonly isFirst: boolean;
  /** The connection that is linked again. */
  readonly changes?: ConnectedMusic;
}

/** What links an account: the source's app, which the owner enters once, and the way there. */
export async function LinkControls(props: LinkControlsProps): Promise<string> {
  const { request, source, label, isFirst, changes } = props;
  const { user, baseUrl, words, language } = request;
  const { oauth } = source;
  const path = pathTo(request, "music");
  const redirectUri = baseUrl + oauth.callbackPath;
  const mayEnterApp = isFirst && user.role === "owner" && !oauth.appIsFixed;
  const hasApp = oauth.app() !== undefined;
  const again = changes && isNamed(changes) ? `?connection=${changes.connection.publicId}` : "";
  const form = formOf(request, enterApp, { source: source.id });
  const { refused } = form;
  const appSteps = mayEnterApp && (
    <AppSteps
      language={language}
      sourceName={source.name}
      path={path}
      redirectUri={redirectUri}
      oauth={oauth}
      fields={
        <>
          <input type="hidden" name="token" value={request.formToken} />
          <input type="hidden" name="do" value={form.name} />
          <input type="hidden" name="source" value={source.id} />
        </>
      }
      refused={refused && { ...refused, clientId: String(refused.texts["clientId"] ?? "") }}
    />
  );
  return (
    <>
      {!oauth.acceptsRedirect(redirectUri) && (
        <p class="mistake" safe>
          {fill(words.connect.redirectRefused, { source: source.name })}
        </p>
      )}
      {hasApp ? (
        <>
          <p class="actions">
            <LinkButton label={label} href={`${path}/link/${source.id}${again}`} isMain />
          </p>
          <details open={refused !== undefined}>
            <summary safe>{words.connect.redirectUri}</summary>
            <Copyable language={language} text={redirectUri} />
            {appSteps as "safe"}
          </details>
        </>
      ) : mayEnterApp ? (
        (appSteps as "safe")
      ) : (
        <p safe>{fill(words.connect.ownerFirst, { source: source.name })}</p>
      )}
    </>
  );
}
