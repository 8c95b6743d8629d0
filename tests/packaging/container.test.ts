import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { resolveConfig } from "../../src/config.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();
const bunVersion = packageJson.packageManager.replace("bun@", "");

describe("the container", () => {
  test("is built by the Bun that the project names", async () => {
    expect(await read("packaging/Containerfile")).toContain(`FROM oven/bun:${bunVersion} `);
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
    const environment = Object.fromEntries(
      Object.keys(services.marquee.environment).map((name) => [name, ""]),
    );
    expect(resolveConfig({}, environment).warnings).toEqual([]);
  });
});

describe("the release workflow", () => {
  test("runs the same script, and only publishing may write", async () => {
    const workflow = Bun.YAML.parse(await read(".github/workflows/release.yml")) as {
      permissions: unknown;
      jobs: Record<string, { permissions: unknown; steps: { run?: string; uses?: string }[] }>;
    };
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs["build"]?.permissions).toEqual({ contents: "read" });
    expect(workflow.jobs["publish"]?.permissions).toEqual({ contents: "write" });
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    expect(steps.map(({ run }) => run)).toContain(`npx -y bun@${bunVersion} run release`);
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
  });
});
