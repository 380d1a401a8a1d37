import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isThere, rowsOf, textOf, withTable } from "./pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = textOf("docs/architecture.md");

interface Imports {
  readonly [place: string]: { readonly may: readonly string[]; readonly types?: readonly string[] };
}

/** The table that `test/boundaries.test.ts` holds the house to. */
const imports = (): Imports => {
  const written = /const table: [^=]+ = (\{[\s\S]*?\n\});/u.exec(textOf("test/boundaries.test.ts"))?.[1];
  if (written === undefined) throw new Error("the boundaries have no table any more");
  return new Function(`return ${written}`)() as Imports;
};

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

test("the table of imports is the one that the boundaries hold", async () => {
  const rows = Object.entries(imports()).map(([place, { may, types = [] }]) => [
    `\`${place}\``,
    [...(may.length > 0 ? [code(may)] : []), ...(types.length > 0 ? [`types of ${code(types)}`] : [])].join("; ") ||
      "nothing else",
  ]);
  await expect(withTable(page, "imports", ["Folder or file", "May import"], rows)).toMatchFileSnapshot(
    "../../docs/architecture.md",
  );
});

/** The folders below another that hold anything. */
const foldersUnder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory() || readdirSync(join(root, path)).length === 0) return [];
    return [path, ...foldersUnder(path)];
  });

test("the folders are those that there are", () => {
  const documented = rowsOf(page, "folders").map(([folder]) => folder ?? "");
  expect(documented.filter((folder) => !isThere(folder))).toEqual([]);
  expect(documented.filter((folder) => folder.startsWith("src/")).toSorted()).toEqual(foldersUnder("src").toSorted());
});

test("the platform's own tables are those that it makes", () => {
  const made = [...textOf("src/postgres/schema/system-tables.ts").matchAll(/create table ninefold\.(\w+)/gu)].map(
    ([, name]) => name,
  );
  expect(
    rowsOf(page, "system")
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(made.toSorted());
});

test("what all may use is said beside the folders of the core", () => {
  const base = /const base = \[([^\]]+)\]/u.exec(textOf("test/boundaries.test.ts"))?.[1] ?? "";
  for (const [, file] of base.matchAll(/"core\/([^"]+)"/gu)) expect(page).toContain(`\`${file}\``);
});
