import { expect, test } from "bun:test";
import { choiceOf, fieldOf, targetIdOf } from "../../src/http/form-field.ts";

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

test("a form is about the row with the id that it names, and about none for any other text", () => {
  const targetIn = (text: string) => {
    const form = new FormData();
    form.set("target", text);
    return targetIdOf(form);
  };
  expect(["7", " 12 ", "x", "", "1.5", "NaN", "Infinity", "1e99"].map(targetIn)).toEqual([
    7, 12, 0, 0, 0, 0, 0, 0,
  ]);
  expect(targetIdOf(new FormData())).toBe(0);
});

test("a button says more than the field of the same name before it", () => {
  const form = new FormData();
  form.append("do", "save");
  form.append("do", " try ");
  expect(fieldOf(form, "do")).toBe("try");
  expect(fieldOf(form, "other")).toBe("");
});
