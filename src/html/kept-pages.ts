/** Answers with a page that is the same for everybody, and is drawn once. */
export type KeepPage = (name: string, draw: () => Promise<Response>) => Promise<Response>;

/** For pages of which there are only so many. */
export function createKeptPages(): KeepPage {
  const pages = new Map<string, Response>();
  return async (name, draw) => {
    let page = pages.get(name);
    if (!page) {
      const drawn = await draw();
      // Bytes take less memory than a text, and are sent as they are.
      page = new Response(await drawn.bytes(), drawn);
      pages.set(name, page);
    }
    return page.clone();
  };
}
