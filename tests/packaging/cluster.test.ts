import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { resolveConfig } from "../../src/config.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

const packaging = join(import.meta.dir, "../../packaging");
const text = await Bun.file(join(packaging, "compose.cluster.yaml")).text();
const balancer = await Bun.file(join(packaging, "haproxy.cfg")).text();

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks: Readonly<Record<string, { readonly ipv4_address?: string }>>;
}

const composed = Bun.YAML.parse(text) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
const services = Object.entries(composed.services);
const nodes = services.filter(([name]) => name.startsWith("node-"));

describe("the composed cluster", () => {
  test("has three nodes of this version, a database and a balancer, all read-only and without capabilities", () => {
    expect(nodes.map(([, { image }]) => image)).toEqual(
      Array.from({ length: 3 }, () => `marquee:${packageJson.version}`),
    );
    expect(services.map(([name]) => name)).toContainAllValues([
      "postgres",
      "balancer",
      ...nodes.map(([name]) => name),
    ]);
    for (const [, service] of services) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        mem_limit: "1g",
        pids_limit: 256,
      });
    }
  });

  test("opens only the balancer, and only to its own machine", () => {
    const opened = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(opened).toEqual([["balancer", "127.0.0.1:4747:4747"]]);
  });

  test("gives all nodes the same settings, which exist and are enough for a shared database", async () => {
    const folder = createTempFolder();
    const given: Readonly<Record<string, string>> = {
      database: "postgres://marquee:password@postgres:5432/marquee\n",
      "secret-key": `${Buffer.alloc(32).toString("base64")}\n`,
    };
    for (const [name, secret] of Object.entries(given))
      await Bun.write(`${folder.path}/${name}`, secret);
    const settled = nodes.map(([, { environment = {} }]) =>
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          value
            .replace(/^\$\{MARQUEE_BASE_URL:\?.*\}$/, "https://music.example.org")
            .replace("/run/secrets", folder.path),
        ]),
      ),
    );
    const { config, warnings } = resolveConfig({}, settled[0] ?? {});
    folder.remove();
    expect(settled).toEqual(settled.map(() => settled[0] ?? {}));
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      database: given["database"]?.trim(),
      secretKey: given["secret-key"]?.trim(),
      baseUrl: "https://music.example.org",
    });
    // Whoever asks is told by the balancer.
    expect(config.trustedProxies).toContain(
      composed.services["balancer"]?.networks["nodes"]?.ipv4_address ?? "",
    );
  });

  test("holds no secrets: each is a file of a folder elsewhere, given only to who needs it", () => {
    for (const [name, secret] of Object.entries(composed.secrets)) {
      expect(secret).toEqual({ file: `\${SECRETS:?the folder with the secrets}/${name}` });
    }
    const settings = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
    for (const [name, value] of settings) {
      expect(value).not.toContain("://");
      if (/PASSWORD|SECRET|TOKEN|DATABASE/.test(name)) expect(name).toEndWith("_FILE");
      if (name.endsWith("_FILE")) {
        expect(Object.keys(composed.secrets).map((secret) => `/run/secrets/${secret}`)).toContain(
          value,
        );
      }
    }
    const readers = services.map(([name, { secrets = [] }]) => [name, secrets.toSorted()]);
    expect(Object.fromEntries(readers)).toEqual({
      postgres: ["postgres-password"],
      balancer: [],
      ...Object.fromEntries(nodes.map(([name]) => [name, ["database", "secret-key"]])),
    });
  });
});

describe("its balancer", () => {
  test("passes requests to every node, and ends the sockets of one that is not ready", () => {
    const servers = [...balancer.matchAll(/^ +server (\S+) (\S+)$/gm)].map(([, ...words]) => words);
    expect(servers).toEqual(
      nodes.map(([name, { networks }]) => [name, `${networks["nodes"]?.ipv4_address}:4747`]),
    );
    expect(balancer).toContain(" uri /readyz ");
    expect(balancer).toMatch(/^ +default-server check .* on-marked-down shutdown-sessions$/m);
    expect(balancer).toMatch(/^ +timeout tunnel \d+h$/m);
  });

  testWith("HAProxy", Bun.which("haproxy") !== null)("is understood by HAProxy", () => {
    const file = join(packaging, "haproxy.cfg");
    const checked = Bun.spawnSync(["haproxy", "-c", "-f", file], { stderr: "pipe" });
    expect([checked.exitCode, checked.stderr.toString()]).toEqual([
      0,
      expect.not.stringContaining("WARNING"),
    ]);
  });
});
