import { beforeEach, describe, expect, test } from "bun:test";
import { createFakeMpd } from "../fixtures/mpd/fake-mpd.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment } = useCommandLine();

/** A port of the machine itself that nobody listens on. */
const NOBODY = "127.0.0.1:1";

const connectMpd = async (...options: string[]) => {
  const [document] = await documentsOf("connect", "ada", "mpd", "--address", NOBODY, ...options);
  return String(document?.["id"]);
};
const list = (...options: string[]) => documentsOf("connection", "list", "ada", ...options);
const labels = async () =>
  (await list()).map(({ source, name, position }) => `${position} ${source} ${name}`.trim());

beforeEach(async () => {
  await marquee("user", "add", "ada", "grace");
});

describe("marquee connect, with a name", () => {
  test("adds a connection, and changes the one of that name when it is called again", async () => {
    const first = await connectMpd();
    const [kitchen] = await documentsOf(
      ...["connect", "ada", "mpd", "--name", "Kitchen", "--address", NOBODY],
    );
    expect(kitchen).toEqual({ id: expect.any(Number), source: "mpd", name: "Kitchen" });
    expect(await labels()).toEqual(["1 mpd", "2 mpd Kitchen"]);
    expect(await connectMpd()).toBe(first);
    expect(await connectMpd("--name=Kitchen")).toBe(String(kitchen?.["id"]));
    expect(await labels()).toEqual(["1 mpd", "2 mpd Kitchen"]);
  });

  test("says which name it has", async () => {
    const { out } = await marquee("connect", "ada", "demo", "--name", "Desk");
    expect(out).toContain("Demo · Desk was added.");
  });
});

describe("marquee connect, with an ID", () => {
  const changing = (source: string, id: string) => marquee("connect", "ada", source, "--id", id);

  test("says whether that connection is to another player, or there is none", async () => {
    const id = await connectMpd();
    const toAnother = await changing("json", id);
    expect(toAnother.code).toBe(1);
    expect(toAnother.errors).toContain("This connection is to MPD");
    expect((await changing("json", "99")).errors).toContain("There is no such connection");
    expect(await labels()).toEqual(["1 mpd"]);
  });
});

describe("marquee connection list", () => {
  test("prints exactly these fields, a line each, in order", async () => {
    const id = Number(await connectMpd());
    await marquee("connect", "ada", "demo", "--name", "Desk");
    expect(await list()).toEqual([
      { id, source: "mpd", name: "", position: 1, health: "retrying" },
      { id: expect.any(Number), source: "demo", name: "Desk", position: 2, health: "ok" },
    ]);
    const { out } = await marquee("connection", "list", "ada");
    expect(out).toMatch(/^ID +SOURCE +NAME +HEALTH$/m);
    expect(out).toMatch(
      new RegExp(`^${id} +mpd +MPD +retrying since .+ UTC: cannot be reached$`, "m"),
    );
    expect(out).toMatch(/^\d+ +demo +Desk +ok$/m);
  });

  test("prints no line for a user without connections, and fails for nobody", async () => {
    await connectMpd();
    expect(await documentsOf("connection", "list", "grace")).toEqual([]);
    expect((await marquee("connection", "list", "nobody")).code).toBe(1);
  });

  test("has no secret of a player that Marquee asks itself", async () => {
    await connectMpd();
    expect(await list("--show-secrets")).toEqual(await list());
  });
});

describe("the health of a connection", () => {
  test.each([
    ["OK\n", "ok", ""],
    [
      "ACK [3@0] {password} incorrect password\n",
      "needs_linking",
      "run the same command with the right",
    ],
  ])("after MPD has answered a password with %j is %s", async (answer, health, note) => {
    const player = createFakeMpd();
    player.answers.set("password", answer);
    const options = ["--address", player.address, "--password", "swordfish"];
    const { code, errors } = await marquee("connect", "ada", "mpd", ...options);
    player.stop();
    expect(code).toBe(0);
    expect(errors).toContain(note);
    if (note === "") expect(errors).toBe("");
    else expect(errors).toStartWith("Refused: MPD at ");
    expect(errors).not.toContain("swordfish");
    expect(await list()).toMatchObject([{ source: "mpd", health }]);
  });
});

describe("marquee connection order", () => {
  test("puts those named first and shows the new order", async () => {
    const ids = [
      await connectMpd(),
      await connectMpd("--name", "b"),
      await connectMpd("--name", "c"),
    ];
    const shown = await documentsOf("connection", "order", "ada", ids[2] ?? "", ids[0] ?? "");
    expect(shown.map(({ name, position }) => `${position} ${name}`)).toEqual(["1 c", "2 ", "3 b"]);
    expect(await list()).toEqual(shown);
  });

  test("is called wrongly without an id, with no id and with one twice", async () => {
    const id = await connectMpd();
    for (const ids of [[], ["Kitchen"], ["0"], ["1.5"], [id, id]]) {
      const { code, errors } = await marquee("connection", "order", "ada", ...ids);
      expect(code).toBe(2);
      expect(errors).not.toBe("");
    }
  });
});

describe("marquee disconnect, of several", () => {
  test("wants to know which, and ends nothing before", async () => {
    await connectMpd();
    await connectMpd("--name", "Kitchen");
    const { code, errors } = await marquee("disconnect", "ada");
    expect(code).toBe(2);
    expect(errors).toContain("There are several connections.");
    expect(await labels()).toEqual(["1 mpd", "2 mpd Kitchen"]);
  });

  test("ends the one named, or all", async () => {
    const id = await connectMpd();
    await connectMpd("--name", "Kitchen");
    await connectMpd("--name", "Desk");
    expect((await marquee("disconnect", "ada", id)).code).toBe(0);
    expect(await labels()).toEqual(["1 mpd Kitchen", "2 mpd Desk"]);
    expect((await marquee("disconnect", "ada", id)).code).toBe(1);
    expect((await marquee("disconnect", "ada", "--all")).code).toBe(0);
    expect(await labels()).toEqual([]);
  });

  test("is called wrongly with an id and --all", async () => {
    const id = await connectMpd();
    expect((await marquee("disconnect", "ada", id, "--all")).code).toBe(2);
    expect(await labels()).toEqual(["1 mpd"]);
  });
});

describe("marquee connection rotate", () => {
  test("fails for a player that Marquee asks itself, and says why", async () => {
    const { code, errors } = await marquee("connection", "rotate", "ada", await connectMpd());
    expect(code).toBe(1);
    expect(errors).toContain("has no secret");
  });
});

/** The addresses of the others are tested on the page that shows them. */
const PUSHED = [{ id: "json" }, { id: "broadcast" }];

describe.each(PUSHED)("a connection to $id", ({ id: source }) => {
  const fields = {
    id: expect.any(Number),
    source,
    name: "",
    secret: expect.stringMatching(/^mqi_[0-9A-Za-z]{38}$/),
    url:
      source === "broadcast"
        ? "http://127.0.0.1:8000/live"
        : expect.stringMatching(/^(?:http|ws):\/\/127\.0\.0\.1:4747\/[\x21-\x7e]+$/),
  };
  /** A broadcasting program asks for the parts of its address. */
  const shownOf = (url: unknown) =>
    source === "broadcast" ? ["127.0.0.1", "8000", "/live"] : [String(url)];

  test("is answered with the secret and the address to paste", async () => {
    const [document] = await documentsOf("connect", "ada", source);
    expect(document).toEqual(fields);
    expect(await documentsOf("connect", "ada", source)).toEqual([document ?? {}]);
    const { out, errors } = await marquee("connect", "ada", source);
    const shown = [document?.["secret"], ...shownOf(document?.["url"])];
    for (const text of shown) expect(out).toContain(String(text));
    expect(errors).toBe("");
  });

  test("shows both again only when it is asked to", async () => {
    const [document] = await documentsOf("connect", "ada", source);
    const { secret, url, ...shown } = document ?? {};
    const listed = { ...shown, position: 1, health: "untried" };
    expect(await list()).toEqual([listed]);
    expect(await list("--show-secrets")).toEqual([{ ...listed, secret, url }]);
    expect((await marquee("connection", "list", "ada")).out).not.toContain("mqi_");
    expect((await marquee("connection", "list", "ada", "--show-secrets")).out).toContain(
      String(url),
    );
  });

  test("gets another secret, and is the same connection", async () => {
    const [before] = await documentsOf("connect", "ada", source);
    const id = String(before?.["id"]);
    const [after] = await documentsOf("connection", "rotate", "ada", id);
    expect(after).toEqual({ ...fields, id: before?.["id"] });
    expect(after?.["secret"]).not.toBe(before?.["secret"]);
    const [listed] = await list("--show-secrets");
    expect(listed).toMatchObject({ secret: after?.["secret"], url: after?.["url"] });
    expect((await marquee("connection", "rotate", "ada", id)).out).toContain("no longer works");
  });
});

describe("a connection of a program that broadcasts", () => {
  test("is not given a port where the server takes no broadcasts", async () => {
    environment["MARQUEE_BROADCAST_PORT"] = "0";
    const { out } = await marquee("connect", "ada", "broadcast");
    expect(out).toContain("takes no broadcasts");
    expect(out).toMatch(/^ {2}mqi_\w{38}$/m);
    expect(out).not.toContain("Port ");
  });

  test("is listed without an address where the server takes no broadcasts", async () => {
    environment["MARQUEE_BROADCAST_PORT"] = "0";
    const [document] = await documentsOf("connect", "ada", "broadcast");
    expect(document).toMatchObject({ secret: expect.any(String), url: null });
    expect(await list("--show-secrets")).toEqual([expect.objectContaining({ url: null })]);
    const { out } = await marquee("connection", "list", "ada", "--show-secrets");
    expect(out).toContain("no port takes broadcasts");
  });

  test("is given port 80, which an address leaves out", async () => {
    environment["MARQUEE_BROADCAST_PORT"] = "80";
    const { out } = await marquee("connect", "ada", "broadcast");
    expect(out).toMatch(/^ {2}Port +80$/m);
  });
});
