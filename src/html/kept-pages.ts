import { createBoundedMap } from "../bounded-map.ts";

/** Answers with a page that is the same for everybody. It is drawn once, while there is room for it. */
export type KeepPage = (name: string, draw: () => Promise<Response>) => Promise<Response>;

/** More than the documentation has in all languages. */
const MOST_BYTES = 16 * 1024 * 1024;

interface KeptPage {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly status: number;
  readonly headers: Headers;
}

export function createKeptPages(mostBytes = MOST_BYTES): KeepPage {
  const pages = createBoundedMap<string, KeptPage>(mostBytes, ({ body }) => body.byteLength);
  return async (name, draw) => {
    let page = pages.get(name);
    if (!page) {
      page = await readPage(await draw());
      pages.set(name, page);
    }
    const { body, status, headers } = page;
    return new Response(body, { status, headers });
  };
}

const readPage = async (response: Response): Promise<KeptPage> => ({
  body: await response.bytes(),
  status: response.status,
  headers: response.headers,
});
