import { afterEach, expect, test } from "bun:test";
import { createDataFolder, type TempFolder } from "./fixtures/data/temp-folder.ts";

let folder: TempFolder | undefined;
afterEach(() => folder?.remove());

test("the source code serves pages in whatever folder it is started", async () => {
  folder = createDataFolder();
  const main = `${import.meta.dir}/../src/main.ts`;
  const flags = ["--data", "data", "--port", "0", "--broadcast-port", "0", "--json"];
  const server = Bun.spawn([process.execPath, main, ...flags], {
    cwd: folder.path,
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    const { value = new Uint8Array() } = await server.stdout.getReader().read();
    const { url } = JSON.parse(new TextDecoder().decode(value));
    const page = await fetch(`${url}/nothing`);
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("<h1>Nothing here</h1>");
  } finally {
    server.kill();
    await server.exited;
  }
});
