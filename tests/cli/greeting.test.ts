import { expect, test } from "bun:test";
import { addFirstOwner, greet } from "../../src/cli/greeting.ts";
import { OutputError } from "../../src/cli/output.ts";
import { resolveConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { createTestAccounts } from "../fixtures/data/accounts.ts";

test("a first start whose output is lost goes on, and logs how to get what nobody has seen", async () => {
  const { accounts, clock } = await createTestAccounts();
  const logged: string[] = [];
  const log = createLog({
    level: "warn",
    format: "text",
    write: (line) => void logged.push(line),
    wallMs: clock.wallMs,
  });
  const io = {
    environment: {},
    out() {
      throw new OutputError("The disk is full.");
    },
    error() {},
  };
  const settings = resolveConfig({ owner: "ada" }, {});
  for (const asJson of [false, true]) {
    const added = await addFirstOwner(accounts, settings.config);
    const baseUrl = "http://127.0.0.1:4747";
    const start = { accounts, added, settings, baseUrl, asJson, io, log };
    greet({ ...start, greeting: "first", isSeen: () => false });
  }
  // The second start has nothing that is shown only once.
  expect(logged).toHaveLength(1);
  for (const command of ["key add ada", "widget url ada", "login ada"]) {
    expect(logged[0]).toContain(command);
  }
});

test.each([
  ["the folder that a flag has named", { data: "./my music" }, {}, ' --data "./my music"'],
  ["no folder that is found again without a word", {}, { MARQUEE_DATA: "./music" }, ""],
])("commands that a start prints name %s", async (_, flags, environment, named) => {
  const { accounts, clock } = await createTestAccounts();
  await accounts.add(["ada"]);
  const printed: string[] = [];
  greet({
    accounts,
    added: undefined,
    settings: resolveConfig(flags, environment),
    baseUrl: "http://127.0.0.1:4747",
    asJson: false,
    io: { environment: {}, out: (text) => void printed.push(text), error() {} },
    log: createLog({ level: "warn", format: "text", write() {}, wallMs: clock.wallMs }),
    greeting: "first",
    isSeen: () => false,
  });
  const lines = printed.join("\n").split("\n");
  for (const words of ["widget url ada", "login ada"]) {
    expect(lines.filter((line) => line.endsWith(` ${words}${named}`))).toHaveLength(1);
  }
});
