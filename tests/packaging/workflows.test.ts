import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly container?: string;
        readonly permissions: unknown;
        readonly steps: readonly Step[];
      }
    >
  >;
}

const workflowOf = async (name: string) =>
  Bun.YAML.parse(await read(`.github/workflows/${name}.yml`)) as Workflow;

describe("the workflow of pull requests", () => {
  let workflow: Workflow;
  beforeAll(async () => {
    workflow = await workflowOf("ci");
  });

  test("runs what everybody can run, and may only read", () => {
    // With the rights of a pull request: "pull_request_target" would have those of the repository.
    expect(workflow.on).toBe("pull_request");
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs["check"]?.permissions).toEqual({ contents: "read" });
    expect(workflow.jobs["check"]?.steps.at(-1)).toEqual({ run: ".ci/run" });
  });

  test("runs in the image that the container is built in", async () => {
    const [, image] = /^FROM (\S+) AS build$/m.exec(await read("packaging/Containerfile")) ?? [];
    expect(workflow.jobs["check"]?.container).toBe(image ?? "");
  });
});

describe("the nightly workflow", () => {
  test("runs the drills in the same image, and may only read", async () => {
    const workflow = await workflowOf("nightly");
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs["drills"]?.permissions).toEqual({ contents: "read" });
    expect(workflow.jobs["drills"]?.steps.at(-1)).toEqual({ run: ".ci/nightly" });
    const [, image] = /^FROM (\S+) AS build$/m.exec(await read("packaging/Containerfile")) ?? [];
    expect(workflow.jobs["drills"]?.container).toBe(image ?? "");
  });
});

describe("the release workflow", () => {
  let workflow: Workflow;
  beforeAll(async () => {
    workflow = await workflowOf("release");
  });
  const steps = () => Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("runs the same script, which tries out what it has built", () => {
    const runs = steps().map(({ run }) => run);
    expect(runs).toContain(
      `npx -y "$(node -p 'require("./package.json").packageManager')" run release --try`,
    );
  });

  test("installs what the try needs, as the other runs do", async () => {
    const parts = "qemu-user-static libc6-arm64-cross wine64 gcc-mingw-w64-x86-64";
    expect(steps().some(({ run }) => run?.includes(parts))).toBe(true);
    expect(await read(".ci/nightly")).toContain(parts);
  });

  test("lets only signing sign, and only publishing write", () => {
    expect(workflow.permissions).toEqual({});
    const permissions = Object.entries(workflow.jobs).map(([name, job]) => [name, job.permissions]);
    expect(Object.fromEntries(permissions)).toEqual({
      build: { contents: "read" },
      attest: { "id-token": "write", attestations: "write" },
      publish: { contents: "write" },
    });
  });

  test("signs where each file of SHA256SUMS comes from", () => {
    const signing = steps().find(({ uses }) => uses?.startsWith("actions/attest@"));
    expect(signing?.with).toEqual({ "subject-checksums": "release/SHA256SUMS" });
    const runs = steps().map(({ run }) => run);
    expect(runs).toContain('cp "$BUNDLE" "marquee-${GITHUB_REF_NAME#v}.sigstore.json"');
  });
});

test("every action of every workflow is GitHub's own, and pinned by commit with its version beside", async () => {
  const files = [...new Bun.Glob(".github/**/*.{yml,yaml}").scanSync({ cwd: root, dot: true })];
  const lines = (await Promise.all(files.map(read)))
    .flatMap((text) => text.split("\n"))
    .filter((line) => /\buses:/.test(line));
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    expect(line.trim().replace(/^- /, "")).toMatch(
      /^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/,
    );
  }
});
