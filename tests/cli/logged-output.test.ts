import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  isOutputLogged,
  type OutputFacts,
  type ProcessFacts,
  speaksForContainer,
} from "../../src/control/logged-output.ts";
import { toUserName } from "../../src/user-name.ts";
import {
  type ShownServer,
  startForPerson,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";

describe("what is printed", () => {
  const plain: OutputFacts = {
    environment: {},
    output: "8:42",
    hasContainerFile: false,
    speaksForContainer: false,
  };

  test.each([
    ["Podman says that it is a container", { environment: { container: "podman" } }],
    ["it runs in Kubernetes", { environment: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } }],
    ["it speaks for a container of Docker's", { hasContainerFile: true, speaksForContainer: true }],
    ["it goes to systemd's journal", { environment: { JOURNAL_STREAM: "8:42" } }],
  ])("is kept in a log when %s", (_, changes) => {
    expect(isOutputLogged({ ...plain, ...changes })).toBe(true);
  });

  test.each([
    ["nothing says so", {}],
    ["somebody works inside a container by hand", { hasContainerFile: true }],
    ["it speaks for a machine that is no container", { speaksForContainer: true }],
    [
      "only the terminal's own program writes to the journal",
      { environment: { JOURNAL_STREAM: "8:7" } },
    ],
    ["it is closed", { output: undefined, environment: { JOURNAL_STREAM: "8:42" } }],
  ])("is not kept when %s", (_, changes) => {
    expect(isOutputLogged({ ...plain, ...changes })).toBe(false);
  });
});

describe("a process in a container", () => {
  const other: ProcessFacts = {
    pid: 70,
    parentPid: 7,
    output: "8:42",
    firstOutput: "8:1",
    isFirstOfOther: false,
  };

  test.each<[string, Partial<ProcessFacts>]>([
    ["is the first one", { pid: 1, parentPid: 0 }],
    ["writes where the first one writes", { output: "8:1" }],
    [
      "is another user's whom the first one has started",
      { parentPid: 1, firstOutput: undefined, isFirstOfOther: true },
    ],
  ])("writes to the container's log when it %s", (_, changes) => {
    expect(speaksForContainer({ ...other, ...changes })).toBe(true);
  });

  test.each<[string, Partial<ProcessFacts>]>([
    ["writes elsewhere", {}],
    ["writes elsewhere and its parent has ended", { parentPid: 1 }],
    ["cannot see where the first one writes", { parentPid: 1, firstOutput: undefined }],
    ["is somebody else's", { firstOutput: undefined, isFirstOfOther: true }],
    ["has closed its output", { output: undefined, firstOutput: undefined }],
  ])("does not when it %s", (_, changes) => {
    expect(speaksForContainer({ ...other, ...changes })).toBe(false);
  });
});

describe("the first start", () => {
  let folder: ReturnType<typeof createDataFolder>;
  let server: ShownServer | undefined;

  beforeEach(() => {
    folder = createDataFolder();
    server = undefined;
  });
  afterEach(async () => {
    await server?.stop();
    folder.remove();
  });

  const start = async (environment: Record<string, string>) => {
    server = await startForPerson({
      folder: folder.path,
      arguments: ["--owner", "ada"],
      environment,
      isTerminal: false,
    });
    return server.shown;
  };

  test("in a container prints the sign-in link and no other secret", async () => {
    const shown = await start({ container: "podman" });
    expect(shown).toMatch(/^ +Marquee \d+\.\d+\.\d+ serves http:\/\/127\.0\.0\.1:\d+$/m);
    expect(shown).toContain(`  Data       ${folder.path}/marquee-data\n`);
    expect(shown).toMatch(/^ +http:\/\/127\.0\.0\.1:\d+\/sign-in\/mql_\w{38}$/m);
    expect(shown.match(/mq\w*_\w{38}/g)).toHaveLength(1);
    expect(shown).not.toContain("curl");
    // And how to get the others.
    expect(shown).toContain("key add ada\n");
    expect(shown).toContain("widget url ada\n");
    expect(shown).toContain("dashboard");
  });

  test("elsewhere prints the key, in a line that asks, and the widget's address too", async () => {
    const shown = await start({});
    expect(shown).toMatch(/^ +curl -H 'X-Api-Key: mq_\w{38}' http:\S+\/api\/v1\/now-playing$/m);
    expect(shown).toMatch(/^ +http:\S+\/en\/widget\/mqw_\w{38}$/m);
    expect(shown).toMatch(/\/sign-in\/mql_\w{38}$/m);
    expect(shown).not.toContain("key add");
  });

  test("names the owner after the user whom the system knows where $USER is empty", async () => {
    const started = await startMarquee({
      folder: folder.path,
      environment: { USER: "" },
    });
    await started.kill();
    const system = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
    expect(started.ready["username"]).toBe(toUserName(system));
  });

  test("in a container tells programs the same as anywhere", async () => {
    const started = await startMarquee({
      folder: folder.path,
      environment: { container: "podman" },
    });
    await started.kill();
    expect(Object.keys(started.ready)).toEqual([
      "event",
      "url",
      "username",
      "api_key",
      "widget_token",
      "widget_url",
      "login_url",
    ]);
  });
});
