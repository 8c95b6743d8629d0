import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { resolveConfig } from "../../src/config.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();
const bunVersion = packageJson.packageManager.replace("bun@", "");

describe("the container", () => {
  test("is built by the Bun that the project names", async () => {
    const file = await read("packaging/Containerfile");
    expect(file).toMatch(new RegExp(`^RUN npm install --global bun@${bunVersion}$`, "m"));
  });

  test("starts from images that are named by digest, so that a moved tag changes nothing", async () => {
    const file = await read("packaging/Containerfile");
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(bases).toHaveLength(2);
    for (const image of bases) expect(image).toMatch(/^(scratch|\S+:\S+@sha256:[0-9a-f]{64})$/);
    // What is copied comes from a stage of this file or from the sources, never from another image.
    const stages = [...file.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    for (const [, from] of file.matchAll(/--from=(\S+)/g)) expect(stages).toContain(from);
  });

  test("ends in an empty image, as a user without rights, and asks itself how it is", async () => {
    const stages = (await read("packaging/Containerfile")).split(/^FROM /m);
    const final = stages.at(-1) ?? "";
    expect(final).toStartWith("scratch\n");
    expect(final).toMatch(/^USER 65532:65532$/m);
    expect(final).toMatch(/^HEALTHCHECK .*CMD \["\/marquee", "healthcheck"\]$/m);
    expect(final).toMatch(/^ENTRYPOINT \["\/marquee"\]$/m);
    expect(final).not.toMatch(/^RUN /m);
  });

  test("is composed read-only and without capabilities, with settings that exist", async () => {
    const { services } = Bun.YAML.parse(await read("packaging/compose.yaml")) as {
      services: { marquee: Record<string, unknown> & { environment: Record<string, string> } };
    };
    expect(services.marquee).toMatchObject({
      image: `marquee:${packageJson.version}`,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    // The systemd unit has the same ceilings.
    expect(services.marquee).toMatchObject({ mem_limit: "1g", pids_limit: 256 });
    const environment = Object.fromEntries(
      Object.keys(services.marquee.environment).map((name) => [name, ""]),
    );
    expect(resolveConfig({}, environment).warnings).toEqual([]);
  });
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly permissions: unknown; readonly steps: readonly Step[] }>
  >;
}

describe("the release workflow", () => {
  let workflow: Workflow;
  beforeAll(async () => {
    workflow = Bun.YAML.parse(await read(".github/workflows/release.yml")) as Workflow;
  });
  const steps = () => Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("runs the same script, which tries out what it has built", () => {
    const runs = steps().map(({ run }) => run);
    expect(runs).toContain(`npx -y bun@${bunVersion} run release --try`);
  });

  test("installs what the try needs, as the other runs do", async () => {
    const parts = "qemu-user-static libc6-arm64-cross wine64 gcc-mingw-w64-x86-64";
    expect(steps().some(({ run }) => run?.includes(parts))).toBe(true);
    expect(await read(".ci/run")).toContain(parts);
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

test.each(["en", "fr", "es", "pt", "de"])(
  "the documentation (%s) tells how to check a download, and to run the container within bounds",
  async (language) => {
    const page = await read(`src/docs/${language}/running.md`);
    expect(page).toContain("\nsha256sum --check --ignore-missing SHA256SUMS\n");
    expect(page).toMatch(
      /\ngh attestation verify marquee-\S+ --repo OWNER\/REPOSITORY --bundle marquee-[\d.]+\.sigstore\.json\n/,
    );
    expect(page).toContain(`\nnpx -y bun@${bunVersion} run release\n`);
    expect(page).toContain(" --memory 1g --pids-limit 256 ");
  },
);

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
