import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { Copies } from "../../html/parts.tsx";
import { Fold } from "../../html/form.tsx";
import { broadcastFieldsIn } from "../../sources/pushed.ts";
import type { DashboardRequest } from "../../dashboard/request.ts";

interface IcecastProps {
  readonly request: DashboardRequest;
  /** Where the server takes broadcasts. */
  readonly address: string;
  readonly password: string;
}

/** What a program asks for that broadcasts to Icecast, and pictures of where it is entered. */
export function IcecastEntered({ request, address, password }: IcecastProps): JSX.Element {
  const { language, words } = request;
  const { inbox: t } = words.dashboard.music;
  const { host, port, mount } = broadcastFieldsIn(address);
  const texts = [
    { label: t.host, text: host },
    { label: t.port, text: port },
    { label: t.mount, text: mount },
    { label: t.password, text: password, isSecret: true },
  ];
  return (
    <>
      <Copies language={language} texts={texts} />
      {programs(host, port, mount).map((program) => (
        <Fold label={fill(t.enterIn, { program: program.name })} isOpen={false}>
          <Settings {...program} label={fill(t.enterIn, { program: program.name })} />
        </Fold>
      ))}
    </>
  );
}

interface ProgramSettings {
  readonly name: string;
  /** The way to its settings, in the program's own words, as their fields are. */
  readonly menu: string;
  readonly fields: readonly (readonly [label: string, value: string])[];
}

const DOTS = "••••••••";

const programs = (host: string, port: string, mount: string): readonly ProgramSettings[] => [
  {
    name: "Traktor",
    menu: "Preferences › Broadcasting",
    fields: [
      ["Address", host],
      ["Port", port],
      ["Mount Path", mount],
      ["Password", DOTS],
      ["Format", "Ogg Vorbis"],
    ],
  },
  {
    name: "Mixxx",
    menu: "Preferences › Live Broadcasting",
    fields: [
      ["Type", "Icecast 2"],
      ["Host", host],
      ["Port", port],
      ["Login", "source"],
      ["Mount", mount],
      ["Password", DOTS],
    ],
  },
  {
    name: "butt",
    menu: "settings › main › Server › ADD",
    fields: [
      ["Type", "Icecast"],
      ["Address", host],
      ["Port", port],
      ["Password", DOTS],
      ["Icecast mountpoint", mount],
      ["Icecast user", "source"],
    ],
  },
];

/** A drawing of a program's settings, with what is to be entered. */
function Settings({ menu, fields, label }: ProgramSettings & { readonly label: string }) {
  return (
    <div class="settings-picture" role="img" aria-label={label}>
      <strong safe>{menu}</strong>
      {fields.map(([name, value]) => (
        <>
          <span safe>{name}</span>
          <b safe>{value}</b>
        </>
      ))}
    </div>
  );
}
