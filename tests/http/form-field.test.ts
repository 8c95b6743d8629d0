import { expect, test } from "bun:test";
import { choiceOf, fieldOf } from "../../src/http/form-field.ts";

const chosenBy = (text: string): boolean | null | undefined => {
  const form = new FormData();
  form.set("titles", text);
  return choiceOf(form, "titles", { on: true, off: false, all: null });
};

test("a field chooses what it names", () => {
  expect(["on", " off ", "all"].map(chosenBy)).toEqual([true, false, null]);
});

test("a field chooses nothing that is not among the choices", () => {
  const foreign = ["", "On", "__proto__", "constructor", "toString", "hasOwnProperty"];
  expect(foreign.map(chosenBy)).toEqual(foreign.map(() => undefined));
});

test("a button says more than the field of the same name before it", () => {
  const form = new FormData();
  form.append("do", "save");
  form.append("do", " try ");
  expect(fieldOf(form, "do")).toBe("try");
  expect(fieldOf(form, "other")).toBe("");
});
