import { expect, test } from "bun:test";
import { join } from "node:path";
import ts from "typescript";

const MOST_LINES = 120;

/**
 * Longer ones, each with its reason: a factory whose short functions share the variables at its
 * head, so that a cut through it would pass all of them to and fro.
 */
const LONGER: Readonly<Record<string, string>> = {
  "src/music/history.ts createHistory": "the choices of users, which each question needs",
  "src/sources/kinds/spotify/index.ts createSpotify": "one budget, its tokens and its answers",
  "widget/card.ts createCard": "the one card of a page and its state",
};

const root = join(import.meta.dir, "..");

/** The functions of a file with the number of their lines, those inside others included. */
function functionsIn(path: string, text: string): { name: string; lines: number }[] {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const found: { name: string; lines: number }[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) && node.parent.name);
      const name = `${path} ${named ? named.getText() : "(no name)"}`;
      found.push({ name, lines: lineAt(node.end) - lineAt(node.getStart()) + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test(`no function has more than ${MOST_LINES} lines, but for those with a reason`, async () => {
  const paths = [...new Bun.Glob("{src,widget}/**/*.{ts,tsx}").scanSync({ cwd: root })];
  const all = await Promise.all(
    paths.map(async (path) => functionsIn(path, await Bun.file(join(root, path)).text())),
  );
  const longer = all.flat().filter(({ lines }) => lines > MOST_LINES);
  expect(all.flat().length).toBeGreaterThan(1_000);
  expect(longer.map(({ name }) => name).toSorted()).toEqual(Object.keys(LONGER).toSorted());
});
