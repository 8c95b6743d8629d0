import { resolve } from "node:path";
import { ApiKeys } from "../accounts/page/keys.tsx";
import { docsAddress } from "../addresses.ts";
import { ActionButton, formOf } from "../dashboard/action-form.tsx";
import { dashboardPage } from "../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../dashboard/request.ts";
import { Hooks, type HooksDeps } from "../hooks/page.tsx";
import { attribute } from "../html/attribute.ts";
import { Copyable, LinkButton, Titled } from "../html/parts.tsx";
import { pathTo } from "../html/section-paths.ts";
import type { Parts } from "../http/parts.ts";
import { Html } from "../jsx.ts";
import { addWidget } from "../looks/actions.ts";
import { freeName } from "../looks/free-name.ts";
import { folderNameOf } from "../outputs/folder-name.ts";
import { streamLine } from "../accounts/key-actions.ts";

export interface ProgramsDeps extends HooksDeps, Pick<Parts, "clock" | "settings"> {}

interface PartProps {
  readonly deps: ProgramsDeps;
  readonly request: DashboardRequest;
}

/** The page of what programs need. */
export function createSection(deps: ProgramsDeps): Section {
  return {
    async show(request) {
      return dashboardPage({
        request,
        title: request.words.dashboard.sections.programs,
        children: (
          <>
            <ApiKeys {...deps} request={request} />
            {(await Hooks({ ...deps, request })) as "safe"}
            <TextsAndCards deps={deps} request={request} />
            <EventStreams request={request} />
            <Files deps={deps} request={request} />
          </>
        ),
      });
    },
  };
}

/** Each leads to its editor. */
function TextsAndCards({ deps, request }: PartProps): JSX.Element {
  const { programs: t, gallery } = request.words.dashboard;
  const all = deps.accounts.widgets.allOf(request.user);
  const names = all.map(({ name }) => name);
  const shown = all.filter(({ kind }) => kind !== "overlay");
  const add = (kind: "text" | "card") =>
    formOf(request, addWidget, { kind, name: freeName(t[kind], names) });
  return (
    <Titled title={t.outputs} id="outputs">
      <p safe>{t.outputsText}</p>
      {shown.length > 0 && (
        <ul class="rows">
          {shown.map(({ id, name, kind }) => (
            <li class="beside">
              <div>
                <h3 dir="auto" safe>
                  {name}
                </h3>
                <p class="facts" safe>
                  {gallery.kinds[kind]}
                </p>
              </div>
              <LinkButton
                label={gallery.edit}
                href={`${pathTo(request, "widget")}?id=${id}`}
                aria-label={attribute(`${gallery.edit}: ${name}`)}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="row-actions">
        <ActionButton form={add("text")} label={t.addText} />
        <ActionButton form={add("card")} label={t.addCard} />
      </div>
    </Titled>
  );
}

function EventStreams({ request }: Pick<PartProps, "request">): JSX.Element {
  const { words, language, baseUrl } = request;
  const { programs: t, keys } = words.dashboard;
  return (
    <Titled title={t.streams} id="streams">
      <p safe>{t.streamsText}</p>
      <Copyable language={language} text={streamLine(baseUrl, keys.placeholder)} />
      <HowItWorks request={request} page="api#events" />
    </Titled>
  );
}

function Files({ deps, request }: PartProps): JSX.Element {
  const { words, user, language } = request;
  const { programs: t } = words.dashboard;
  const { files } = deps.settings.config;
  return (
    <Titled title={t.files} id="files">
      <p safe>{t.filesText}</p>
      {/* Where a server keeps them is for its owner alone. */}
      {files !== null && user.role === "owner" && (
        <Copyable language={language} text={resolve(files, folderNameOf(user.name))} />
      )}
      <HowItWorks request={request} page="files" />
    </Titled>
  );
}

/** @param page of the documentation */
function HowItWorks({ request, page }: Pick<PartProps, "request"> & { page: string }): JSX.Element {
  return (
    <p>
      <a href={docsAddress(request.basePath, request.language, page)} safe>
        {request.words.dashboard.programs.how}
      </a>
    </p>
  );
}
