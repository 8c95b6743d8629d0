import { join } from "node:path";
import type { Commit } from "./commit.ts";

/** A package in bun.lock: `name@version`, registry, dependencies, and the hash of its tarball. */
type LockedPackage = readonly [
  nameAndVersion: string,
  registry: string,
  needs: Needs,
  integrity: string,
];

interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly workspaces: { readonly "": Needs };
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The fields of a package.json that the SBOM uses. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly description?: string;
}

/** A component in the format of CycloneDX 1.6. */
export interface Component {
  readonly type: "application" | "library" | "platform";
  readonly "bom-ref": string;
  readonly name: string;
  readonly group?: string;
  readonly version: string;
  readonly description?: string;
  readonly licenses: readonly (
    { readonly license: { readonly id: string } } | { readonly expression: string }
  )[];
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: "SHA-512"; readonly content: string }[];
}

/** What is in the executable, in the format of CycloneDX 1.6. */
export interface Bom {
  readonly $schema: string;
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: {
    readonly timestamp?: string;
    readonly lifecycles: readonly [{ readonly phase: "build" }];
    readonly component: Component;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Lists the production dependencies, as locked in bun.lock and installed in node_modules, and Bun,
 * which the executable contains. Equal inputs give equal bytes.
 * @throws when bun.lock and node_modules disagree, or a package names no licence
 */
export async function createBom(
  root: string,
  commit: Commit | undefined,
  bunVersion: string,
): Promise<Bom> {
  const lock = Bun.JSONC.parse(await Bun.file(join(root, "bun.lock")).text()) as Lockfile;
  const manifest = await readManifest(join(root, "package.json"));
  const marquee = describe("application", manifest, "generic");
  const bun = describe("platform", { name: "bun", version: bunVersion, license: "MIT" }, "npm");

  const libraries = new Map<string, Component>();
  const dependencies = new Map<string, readonly string[]>();
  /** Adds all dependencies, and returns the references of the direct ones. */
  const addAll = async (key: string, needs: Needs): Promise<string[]> => {
    const names = Object.keys({ ...needs.dependencies, ...needs.optionalDependencies });
    const refs: string[] = [];
    for (const name of names) refs.push(await add(resolveKey(lock, key, name)));
    return refs.sort();
  };
  const add = async (key: string): Promise<string> => {
    const [nameAndVersion, , needs, integrity] = lock.packages[key] as LockedPackage;
    const folder = join(root, "node_modules", ...segments(key).join("/node_modules/").split("/"));
    const installed = await readManifest(join(folder, "package.json"));
    if (`${installed.name}@${installed.version}` !== nameAndVersion) {
      throw new Error(`bun.lock has ${nameAndVersion}, but ${folder} is ${installed.version}.`);
    }
    const library = { ...describe("library", installed, "npm"), hashes: [hashOf(integrity)] };
    const ref = library["bom-ref"];
    if (libraries.has(ref)) return ref;
    libraries.set(ref, library);
    dependencies.set(ref, await addAll(key, needs));
    return ref;
  };
  const direct = await addAll("", lock.workspaces[""]);

  const byRef = <Item>(one: readonly [string, Item], other: readonly [string, Item]) =>
    one[0] < other[0] ? -1 : 1;
  const content = {
    metadata: {
      ...(commit?.madeAt && { timestamp: commit.madeAt }),
      lifecycles: [{ phase: "build" }],
      component: marquee,
    },
    components: [bun, ...[...libraries].sort(byRef).map(([, library]) => library)],
    dependencies: [
      { ref: marquee["bom-ref"], dependsOn: [bun["bom-ref"], ...direct] },
      { ref: bun["bom-ref"], dependsOn: [] },
      ...[...dependencies].sort(byRef).map(([ref, dependsOn]) => ({ ref, dependsOn })),
    ],
  } as const;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${Bun.randomUUIDv5(JSON.stringify(content), "url")}`,
    version: 1,
    ...content,
  };
}

/** The package names in a key of bun.lock: `a/@b/c` is `@b/c` installed below `a`. */
function segments(key: string): string[] {
  return key.match(/(?:@[^/]+\/)?[^/]+/g) ?? [];
}

/** The key of a package's dependency: the nearest one, as in the search of node_modules. */
function resolveKey(lock: Lockfile, from: string, name: string): string {
  for (const path = segments(from); ; path.pop()) {
    const key = [...path, name].join("/");
    if (key in lock.packages) return key;
    if (path.length === 0) throw new Error(`bun.lock has no ${name}, which ${from} needs.`);
  }
}

async function readManifest(path: string): Promise<Manifest> {
  return (await Bun.file(path).json()) as Manifest;
}

function describe(
  type: Component["type"],
  { name, version, license, description }: Manifest,
  purlType: "npm" | "generic",
): Component {
  if (typeof license !== "string") throw new Error(`${name}@${version} names no licence.`);
  const [, group, ownName = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const purl = `pkg:${purlType}/${group ? `${encodeURIComponent(group)}/` : ""}${ownName}@${version}`;
  return {
    type,
    "bom-ref": purl,
    ...(group && { group }),
    name: ownName,
    version,
    ...(description && { description }),
    licenses: [
      / (?:AND|OR|WITH) /.test(license) ? { expression: license } : { license: { id: license } },
    ],
    purl,
  };
}

/** bun.lock writes hashes as `sha512-` and base64. */
function hashOf(integrity: string): { alg: "SHA-512"; content: string } {
  const [, base64] = /^sha512-([0-9A-Za-z+/]{86}==)$/.exec(integrity) ?? [];
  if (!base64) throw new Error(`bun.lock has a hash that is no SHA-512: ${integrity}`);
  return { alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") };
}
