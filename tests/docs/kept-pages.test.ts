import { describe, expect, test } from "bun:test";
import { createKeptPages } from "../../src/html/kept-pages.ts";

describe("a page that is the same for everybody", () => {
  const draws = () => {
    let times = 0;
    const draw = async () => {
      times += 1;
      return new Response("x".repeat(400), { status: 404, headers: { "x-page": "1" } });
    };
    return { draw, times: () => times };
  };

  test("is drawn once, and answered with the same status and headers", async () => {
    const keep = createKeptPages();
    const { draw, times } = draws();
    for (let ask = 0; ask < 3; ask++) {
      const answer = await keep("a", draw);
      expect([answer.status, answer.headers.get("x-page")]).toEqual([404, "1"]);
      expect(await answer.text()).toHaveLength(400);
    }
    expect(times()).toBe(1);
  });

  test("is the same for the next reader, whatever is added to an answer", async () => {
    const keep = createKeptPages();
    const { draw } = draws();
    const first = await keep("a", draw);
    first.headers.append("set-cookie", "session=ada");
    await first.text();
    const next = await keep("a", draw);
    expect(next.headers.has("set-cookie")).toBe(false);
    expect(await next.text()).toHaveLength(400);
  });
});
