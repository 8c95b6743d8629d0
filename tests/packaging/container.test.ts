import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { resolveConfig } from "../../src/config.ts";
import { LANGUAGES } from "../../src/languages.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();
/** As a shell finds it. */
const THE_BUN_OF_THE_PROJECT = `$(node -p 'require("./package.json").packageManager')`;

describe("the container", () => {
  test("is built by the Bun that the project names", async () => {
    const file = await read("packaging/Containerfile");
    expect(file).toContain(`\nRUN npm install --global "${THE_BUN_OF_THE_PROJECT}"\n`);
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

test.each(LANGUAGES)(
  "the documentation (%s) tells how to check a download, and to run the container within bounds",
  async (language) => {
    const page = await read(`src/docs/${language}/install.md`);
    expect(page).toContain("\nsha256sum --check --ignore-missing SHA256SUMS\n");
    expect(page).toMatch(
      /\ngh attestation verify marquee-\S+ --repo OWNER\/REPOSITORY --bundle marquee-[\d.]+\.sigstore\.json\n/,
    );
    expect(page).toContain(`\nnpx -y ${packageJson.packageManager} run release\n`);
    expect(page).toContain(" --memory 1g --pids-limit 256 ");
  },
);
