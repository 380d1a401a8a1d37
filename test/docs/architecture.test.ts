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

/** A constant of `test/boundaries.test.ts`, which the sources must satisfy. */
const constantOfBoundaries = (name: string): unknown => {
  const declaration = new RegExp(`const ${name}: [^=]+ = (\\{[\\s\\S]*?\\n\\});`, "u");
  const written = declaration.exec(textOf("test/boundaries.test.ts"))?.[1];
  if (written === undefined) throw new Error(`test/boundaries.test.ts has no ${name}`);
  return new Function(`return ${written}`)();
};
const imports = (): Imports => constantOfBoundaries("table") as Imports;

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

test("the tables of imports and layers equal those of the boundaries test", async () => {
  const importRows = Object.entries(imports()).map(([place, { may, types = [] }]) => [
    `\`${place}\``,
    [...(may.length > 0 ? [code(may)] : []), ...(types.length > 0 ? [`types of ${code(types)}`] : [])].join("; ") ||
      "nothing else",
  ]);
  const layers = constantOfBoundaries("layers") as Readonly<Record<string, readonly (readonly string[])[]>>;
  const layerRows = Object.entries(layers).map(([folder, list]) => [`\`${folder}\``, list.map(code).join(" < ")]);
  const withImports = withTable(page, "imports", ["Folder or file", "May import"], importRows);
  await expect(withTable(withImports, "layers", ["Folder", "Lower < higher"], layerRows)).toMatchFileSnapshot(
    "../../docs/architecture.md",
  );
});

/** Non-empty folders below another. */
const foldersUnder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory() || readdirSync(join(root, path)).length === 0) return [];
    return [path, ...foldersUnder(path)];
  });

test("the list of folders equals the folders", () => {
  const documented = rowsOf(page, "folders").map(([folder]) => folder ?? "");
  expect(documented.filter((folder) => !isThere(folder))).toEqual([]);
  // Those of English stand for those of every language.
  const described = foldersUnder("src").filter((folder) => !/^src\/core\/i18n\/(?!en\b)[a-z]{2}\b/u.test(folder));
  expect(documented.filter((folder) => folder.startsWith("src/")).toSorted()).toEqual(described.toSorted());
});

test("files that the page and the READMEs name exist", () => {
  const found = ["src", "test", "bench", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `/${folder}/${file}`),
  );
  const readmes = found.filter((file) => file.startsWith("/src/") && file.endsWith("/README.md"));
  const missing = ["docs/architecture.md", "CONTRIBUTING.md", ...readmes.map((file) => file.slice(1))].flatMap((page) =>
    [...textOf(page).matchAll(/`(?:\.\.\/)*([\w/-][\w./-]*\.tsx?)`/gu)]
      .filter(([, name]) => !found.some((file) => file.endsWith(`/${name}`)))
      .map(([, name]) => `${page} names ${name}`),
  );
  expect(missing).toEqual([]);
});

test("the list of platform tables equals the tables that are created", () => {
  const texts = ["system-tables.ts", "prepare-system.ts"]
    .map((file) => textOf(`src/postgres/schema/${file}`))
    .join("\n");
  const created = [...texts.matchAll(/create table ninefold\.(\w+)/gu)].map(([, name]) => name);
  expect(
    rowsOf(page, "system")
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(created.toSorted());
});

test("what every folder may import is listed beside the folders of the core", () => {
  const base = /const base = \[([^\]]+)\]/u.exec(textOf("test/boundaries.test.ts"))?.[1] ?? "";
  for (const [, file] of base.matchAll(/"core\/([^"]+)"/gu)) expect(page).toContain(`\`${file}\``);
});
