/** The languages an option's label is written in. */
export type LabelLanguage = "en" | "fr" | "es" | "pt" | "de";
export type Label = Readonly<Record<LabelLanguage, string>>;

/** What kind of value an option takes, for whoever describes it or offers it in a form. */
export type OptionKind =
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "switch" }
  | {
      readonly kind: "number";
      readonly least: number;
      readonly most: number;
      readonly unit: string;
    }
  | { readonly kind: "colour"; readonly automatic: boolean }
  | { readonly kind: "font" }
  | { readonly kind: "text"; readonly longest: number };

/** One option of the overlay's address. */
export interface WidgetOption<Value> {
  readonly type: OptionKind;
  /** The value when the address says nothing; `null` leaves the choice to theme and mode. */
  readonly fallback: Value;
  readonly label: Label;
  /** What is allowed, as it ends the sentence "must be …". */
  readonly allowed: string;
  /** The value a text stands for, or `undefined` when it is not allowed. */
  parse(text: string): Value | undefined;
}

const COLOUR_RULE = "a colour of 3 or 6 hexadecimal digits, without #";

/** Everything the page's query string may say: parsing, documentation and editors come from here. */
export const widgetOptions = {
  theme: choice(
    ["card", "compact", "bar", "text", "art", "vinyl", "glass"],
    label("Theme", "Thème", "Tema", "Tema", "Design"),
  ),
  mode: choice(
    ["auto", "dark", "light"],
    label(
      "Light or dark",
      "Clair ou sombre",
      "Claro u oscuro",
      "Claro ou escuro",
      "Hell oder dunkel",
    ),
  ),
  bg: colour(
    label(
      "Background colour",
      "Couleur de fond",
      "Color de fondo",
      "Cor de fundo",
      "Hintergrundfarbe",
    ),
  ),
  opacity: optionalNumber(
    [0, 100, "%"],
    label(
      "Background opacity",
      "Opacité du fond",
      "Opacidad del fondo",
      "Opacidade do fundo",
      "Deckkraft des Hintergrunds",
    ),
  ),
  color: colour(
    label("Text colour", "Couleur du texte", "Color del texto", "Cor do texto", "Textfarbe"),
  ),
  accent: accentColour(
    label("Accent colour", "Couleur d’accent", "Color de acento", "Cor de destaque", "Akzentfarbe"),
  ),
  font: font(label("Font", "Police", "Fuente", "Fonte do texto", "Schriftart")),
  size: optionalNumber(
    [8, 64, "px"],
    label("Text size", "Taille du texte", "Tamaño del texto", "Tamanho do texto", "Schriftgröße"),
  ),
  radius: optionalNumber(
    [0, 64, "px"],
    label(
      "Corner radius",
      "Arrondi des coins",
      "Radio de las esquinas",
      "Raio dos cantos",
      "Eckenradius",
    ),
  ),
  width: optionalNumber(
    [120, 3840, "px"],
    label(
      "Greatest width",
      "Largeur maximale",
      "Anchura máxima",
      "Largura máxima",
      "Größte Breite",
    ),
  ),
  position: choice(
    ["tl", "tc", "tr", "ml", "mc", "mr", "bl", "bc", "br"],
    label("Position", "Position", "Posición", "Posição", "Position"),
  ),
  align: choice(
    ["start", "center", "end"],
    label(
      "Text alignment",
      "Alignement du texte",
      "Alineación del texto",
      "Alinhamento do texto",
      "Textausrichtung",
    ),
  ),
  art: toggle(true, label("Cover", "Pochette", "Carátula", "Capa", "Cover")),
  progress: toggle(
    true,
    label(
      "Progress bar",
      "Barre de progression",
      "Barra de progreso",
      "Barra de progresso",
      "Fortschrittsbalken",
    ),
  ),
  time: toggle(true, label("Time", "Durée", "Tiempo", "Tempo", "Zeit")),
  album: toggle(false, label("Album", "Album", "Álbum", "Álbum", "Album")),
  label: toggle(
    true,
    label(
      "“Now playing” line",
      "Ligne « En cours de lecture »",
      "Línea «Reproduciendo»",
      "Linha “Tocando agora”",
      "Zeile „Läuft gerade“",
    ),
  ),
  source: toggle(
    true,
    label(
      "Name of the source",
      "Nom de la source",
      "Nombre de la fuente",
      "Nome da fonte",
      "Name der Quelle",
    ),
  ),
  swap: toggle(
    false,
    label(
      "Cover on the other side",
      "Pochette de l’autre côté",
      "Carátula al otro lado",
      "Capa do outro lado",
      "Cover auf der anderen Seite",
    ),
  ),
  marquee: choice(
    ["auto", "off", "always"],
    label(
      "Long titles travel",
      "Défilement des titres longs",
      "Títulos largos en movimiento",
      "Rolagem de títulos longos",
      "Lange Titel wandern",
    ),
  ),
  speed: number(
    30,
    [5, 300, "px/s"],
    label(
      "Speed of travel",
      "Vitesse de défilement",
      "Velocidad del movimiento",
      "Velocidade da rolagem",
      "Geschwindigkeit der Titel",
    ),
  ),
  hold: number(
    3,
    [0, 60, "s"],
    label(
      "Rest at either end",
      "Pause à chaque bout",
      "Pausa en cada extremo",
      "Pausa em cada ponta",
      "Rast an beiden Enden",
    ),
  ),
  enter: choice(
    ["fade", "slide", "none"],
    label("Entrance", "Entrée", "Entrada", "Entrada", "Auftritt"),
  ),
  exit: choice(["fade", "slide", "none"], label("Exit", "Sortie", "Salida", "Saída", "Abgang")),
  paused: choice(
    ["show", "dim", "hide"],
    label("While paused", "En pause", "En pausa", "Durante uma pausa", "Während einer Pause"),
  ),
  idle: choice(
    ["hide", "text"],
    label(
      "When nothing plays",
      "Quand rien ne joue",
      "Cuando no suena nada",
      "Quando nada está tocando",
      "Wenn nichts läuft",
    ),
  ),
  idleText: text(
    80,
    label(
      "Words for silence",
      "Texte sans musique",
      "Texto sin música",
      "Texto quando não há música",
      "Text ohne Musik",
    ),
  ),
  hideDelay: number(
    5_000,
    [0, 600_000, "ms"],
    label(
      "Delay before hiding",
      "Délai avant disparition",
      "Espera antes de ocultar",
      "Espera antes de ocultar",
      "Verzögerung vor dem Ausblenden",
    ),
  ),
  show: number(
    0,
    [0, 3_600, "s"],
    label(
      "Show after a change for",
      "Affichage après un changement",
      "Mostrar tras un cambio",
      "Tempo na tela após uma mudança",
      "Anzeigedauer nach einem Wechsel",
    ),
  ),
  outline: optionalNumber(
    [0, 8, "px"],
    label(
      "Text outline",
      "Contour du texte",
      "Contorno del texto",
      "Contorno do texto",
      "Textumriss",
    ),
  ),
  motion: choice(
    ["auto", "full", "none"],
    label("Motion", "Animations", "Animaciones", "Animações", "Bewegung"),
  ),
  demo: toggle(
    false,
    label(
      "Demo music",
      "Musique de démo",
      "Música de demostración",
      "Música de demonstração",
      "Demomusik",
    ),
  ),
};

type ValueOf<Option> = Option extends WidgetOption<infer Value> ? Value : never;

export type WidgetOptions = {
  readonly [Name in keyof typeof widgetOptions]: ValueOf<(typeof widgetOptions)[Name]>;
};

export interface ParsedOptions {
  readonly options: WidgetOptions;
  /** A sentence for each wrong value, which is replaced by its default. */
  readonly warnings: readonly string[];
}

/** Reads the options from a page's query string. Nothing in it can break the page. */
export function parseWidgetOptions(query: URLSearchParams): ParsedOptions {
  const warnings: string[] = [];
  const table = Object.entries(widgetOptions) as [string, WidgetOption<unknown>][];
  const values = table.map(([name, option]) => {
    const given = query.get(name);
    if (given === null) return [name, option.fallback];
    const value = option.parse(given);
    if (value !== undefined) return [name, value];
    warnings.push(`Widget option "${name}" must be ${option.allowed}; using the default.`);
    return [name, option.fallback];
  });
  return { options: Object.fromEntries(values) as WidgetOptions, warnings };
}

type Range = readonly [least: number, most: number, unit: string];

function label(en: string, fr: string, es: string, pt: string, de: string): Label {
  return { en, fr, es, pt, de };
}

function choice<const Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
  label: Label,
): WidgetOption<Choice> {
  return {
    type: { kind: "choice", choices },
    fallback: choices[0],
    label,
    allowed: `one of ${choices.join(", ")}`,
    parse: (given) => choices.find((one) => one === given),
  };
}

function toggle(fallback: boolean, label: Label): WidgetOption<boolean> {
  return {
    type: { kind: "switch" },
    fallback,
    label,
    allowed: "1 or 0",
    parse: (given) => (given === "1" ? true : given === "0" ? false : undefined),
  };
}

function number(fallback: number, range: Range, label: Label): WidgetOption<number> {
  const [least, most, unit] = range;
  return {
    type: { kind: "number", least, most, unit },
    fallback,
    label,
    allowed: `a number from ${least} to ${most}`,
    parse(given) {
      const value = /^\d{1,7}(\.\d{1,3})?$/.test(given) ? Number(given) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** A number that nobody has to set: without it, the theme decides. */
function optionalNumber(range: Range, label: Label): WidgetOption<number | null> {
  return { ...number(range[0], range, label), fallback: null };
}

function parseColour(given: string): string | undefined {
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(given) ? `#${given.toLowerCase()}` : undefined;
}

/** A colour such as `#ff8800`; without it, the mode decides. */
function colour(label: Label): WidgetOption<string | null> {
  return {
    type: { kind: "colour", automatic: false },
    fallback: null,
    label,
    allowed: COLOUR_RULE,
    parse: parseColour,
  };
}

/** A colour, or `auto` for one taken from the cover. */
function accentColour(label: Label): WidgetOption<string> {
  return {
    type: { kind: "colour", automatic: true },
    fallback: "auto",
    label,
    allowed: `auto, or ${COLOUR_RULE}`,
    parse: (given) => (given === "auto" ? given : parseColour(given)),
  };
}

function font(label: Label): WidgetOption<string | null> {
  return {
    type: { kind: "font" },
    fallback: null,
    label,
    allowed: "font names separated by commas, of letters, digits, spaces and hyphens",
    parse: (given) => (/^[\p{L}\p{N} ,-]{1,120}$/u.test(given) ? given : undefined),
  };
}

function text(longest: number, label: Label): WidgetOption<string> {
  return {
    type: { kind: "text", longest },
    fallback: "",
    label,
    allowed: `at most ${longest} characters`,
    parse: (given) => (given.length <= longest ? given : undefined),
  };
}
