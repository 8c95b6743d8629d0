import { expect, test } from "bun:test";
import { fieldOf } from "../../src/http/form-field.ts";

test("a button says more than the field of the same name before it", () => {
  const form = new FormData();
  form.append("do", "save");
  form.append("do", " try ");
  expect(fieldOf(form, "do")).toBe("try");
  expect(fieldOf(form, "other")).toBe("");
});
