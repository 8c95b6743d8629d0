import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mendText } from "../../src/titles/mend-text.ts";
import { readOnAir } from "../../src/titles/on-air.ts";
import { tidy } from "../../src/titles/tidy.ts";

const STATION = "My Radio";
/** Artist and title as the channel shows them, titles as given. */
function shown(text: string, station = "", artist = ""): string | null {
  const onAir = readOnAir({ text, station, artist, otherwise: "live" });
  if (onAir === null) return null;
  return [onAir.artists.join(", "), onAir.title].map(mendText).join(" / ");
}

/** A text, and artist and title of it. */
type Row = readonly [text: string, wanted: string | null];

describe("a stream's text", () => {
  test.each<Row>([
    ["Daft Punk - One More Time", "Daft Punk / One More Time"],
    ["Daft Punk – One More Time", "Daft Punk / One More Time"],
    ["Daft Punk | One More Time", "Daft Punk / One More Time"],
    ["DAFT PUNK ~ ONE MORE TIME", "DAFT PUNK / ONE MORE TIME"],
    ["Now Playing: Daft Punk - One More Time", "Daft Punk / One More Time"],
    ["My Radio - Daft Punk - One More Time", "Daft Punk / One More Time"],
    ["Daft Punk - One More Time | MY RADIO", "Daft Punk / One More Time"],
    ["07 - Daft Punk - One More Time.mp3", "Daft Punk / One More Time"],
    // Without an artist the station stands in.
    ["One More Time", "My Radio / One More Time"],
    ["One More Time - Radio Edit", "My Radio / One More Time - Radio Edit"],
    [" - One More Time", "My Radio / One More Time"],
    ["Daft Punk - ", "My Radio / Daft Punk"],
    ["Unknown Artist - One More Time", "My Radio / One More Time"],
    ["Mission: Impossible", "My Radio / Mission: Impossible"],
    // Nothing but the station.
    ...["", " - ", "-", "- - -", "My Radio", "my radio", "Unknown - Unknown"].map((text): Row => [
      text,
      " / My Radio",
    ]),
    // Texts that were encoded, once too often.
    ["Daft%20Punk%20-%20One%20More%20Time", "Daft Punk / One More Time"],
    ["Bj%F6rk+-+J%F3ga", "Björk / Jóga"],
    ["BjÃ¶rk - JÃ³ga", "Björk / Jóga"],
    ["Guns N&#x27; Roses &ndash; Patience", "Guns N' Roses / Patience"],
    ["Kite &amp;amp; Quarry - Salt", "Kite &amp; Quarry / Salt"],
    // The time that runs.
    ["Daft Punk - One More Time (3:21)", "Daft Punk / One More Time"],
    ["Daft Punk - One More Time [01:22/03:45]", "Daft Punk / One More Time"],
    ["Daft Punk - One More Time - 3:21", "Daft Punk / One More Time"],
    ["[1:02:03] Daft Punk - One More Time", "Daft Punk / One More Time"],
    ["01:22 / 03:45 | Daft Punk - One More Time", "Daft Punk / One More Time"],
    ["Jay - 4:44", "Jay / 4:44"],
    ["Jay - (4:44)", "Jay / (4:44)"],
    // What iHeart's stations send.
    [
      'Daft Punk - text="One More Time" song_spot="M" length="00:03:21"',
      "Daft Punk / One More Time",
    ],
    [
      'title="One More Time",artist="Daft Punk",url="song_spot="F" x="0""',
      "Daft Punk / One More Time",
    ],
    ['artist="Daft Punk",title="One More Time"', "Daft Punk / One More Time"],
    ['title="The \\"One\\" - More",artist="Daft - Punk"', 'Daft - Punk / The "One" - More'],
    ['text="One More Time" song_spot="M" MediaBaseId="1"', "My Radio / One More Time"],
  ])("%j is %j", (text, wanted) => expect(shown(text, STATION)).toBe(wanted));

  test.each([
    ...["ADBREAK_1234 - ", "ADBREAK_START - My Radio", "Werbung", "Advertisement", "Ad Break"],
    ...[' - text="Break Sweep 5" song_spot="T" length="00:00:08"', 'text="Spot Block End" x="0"'],
  ])("is an advertisement: %j", (text) => expect(shown(text, STATION)).toBeNull());

  test.each([
    ...[
      "Unspecified name",
      "no name",
      "No Name",
      "Unnamed Server",
      "/live.mp3",
      "live.mp3",
      "sc#1",
    ],
    ...["VLC media player - Live stream", "Example stream name", " "],
  ])("has no station where a server writes %j", (station) => {
    expect(shown("One More Time", station)).toBe(" / One More Time");
    expect(shown(station, station)).toBe(" / live");
    expect(readOnAir({ text: "", station, otherwise: "live" })?.station).toBe("");
  });

  test("is a title where the artist has a field of its own", () => {
    expect(shown("Tides - Undertow", STATION, "Solvay")).toBe("Solvay / Tides - Undertow");
    expect(shown("Solvay - Undertow", STATION, "Solvay")).toBe("Solvay / Undertow");
    expect(shown("Solvay - Undertow", STATION, STATION)).toBe("Solvay / Undertow");
    expect(shown("Solvay - Undertow", STATION, "Unknown Artist")).toBe("Solvay / Undertow");
  });

  test("names the same song as long as it plays", () => {
    const songs = ["(0:01)", "(0:02)", "[03:20/03:21]"].map(
      (time) => readOnAir({ text: `Solvay - Undertow ${time}`, otherwise: "" })?.song,
    );
    expect(new Set(songs)).toEqual(new Set(["Solvay - Undertow"]));
  });

  test("is divided as its cleaned form is", () => {
    const piece = fc.constantFrom(
      ...[
        "Solvay",
        "Undertow",
        " - ",
        " – ",
        " | ",
        " ~ ",
        "Live",
        "Radio Edit",
        " ",
        "112",
        "(Live)",
      ],
      ...["&amp;", "II. Molto", "Unknown Artist", "feat. Kite", "4:44", "「Sea」", "5. Symphony"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
        const onAir = readOnAir({ text: pieces.join(""), otherwise: "live" });
        if (onAir?.namesFrom.origin !== "upload") return;
        const clean = tidy({ title: mendText(onAir.namesFrom.text), artists: [] }, "upload");
        expect(clean.artists.length).toBe(onAir.artists.length);
      }),
    );
  });

  test("is read soon, whatever it is", () => {
    const sign = fc.constantFrom(
      ...' -–|~/()[]:"=%20&;1aé',
      'text="',
      "&amp;",
      "ADBREAK_",
      "1:22",
      "\\",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 3 }), sign, (begin, one) => {
        const text = begin.join("") + one.repeat(20_000);
        readOnAir({ text, station: text, artist: text, otherwise: "live" });
      }),
    );
  });
});
