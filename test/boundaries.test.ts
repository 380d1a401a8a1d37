import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/**
 * The rules of the house, held by reading its sources. Each check is a function from texts to complaints, and each is
 * shown a bad example first: a check that cannot fail holds nothing.
 */
const root = fileURLToPath(new URL("..", import.meta.url));

/** Path from the root, with `/`, to text. */
type Files = Readonly<Record<string, string>>;

const filesUnder = (folder: string, wanted: (path: string) => boolean): Files => {
  const skipped = ["node_modules", "dist", ".git", ".ninefold", "coverage"];
  const found: Record<string, string> = {};
  const walk = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory() && !skipped.includes(entry.name)) walk(inner);
      else if (entry.isFile() && wanted(inner)) found[relative(root, inner)] = readFileSync(inner, "utf8");
    }
  };
  walk(join(root, folder));
  return found;
};

const sources = filesUnder("src", (path) => /\.tsx?$/.test(path));

interface Import {
  readonly from: string;
  /** Gone when it is compiled: only types cross. */
  readonly types: boolean;
}

const commentsAndTexts = /\/\/.*|\/\*[\s\S]*?\*\/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/g;
const withoutComments = (source: string) => source.replace(commentsAndTexts, (_, text) => text ?? "");
const withoutTexts = (source: string) =>
  source.replace(commentsAndTexts, (_, text) => (text === undefined ? "" : '""'));

/** Everything that a source names from elsewhere: static, re-exported, for its effect, dynamic, and types in place. */
const importsOf = (source: string): readonly Import[] => {
  const text = withoutComments(source);
  const from = /(?:^|[\n;])\s*(?:import|export)\s+(type\s+)?((?:[\w*$\s,]|\{[^}]*\})*?)\s*from\s*["']([^"']+)["']/g;
  const bare = /(?:^|[\n;])\s*import\s*["']([^"']+)["']/g;
  const called = /\bimport\(\s*["']([^"']+)["']\s*\)(\s*\.)?/g;
  return [
    ...[...text.matchAll(from)].map(([, type, names, path]) => ({
      from: path ?? "",
      types: type !== undefined || /^\{(\s*type\s[^,}]*,?)+\s*\}$/.test(names?.trim() ?? ""),
    })),
    ...[...text.matchAll(bare)].map(([, path]) => ({ from: path ?? "", types: false })),
    ...[...text.matchAll(called)].map(([, path]) => ({ from: path ?? "", types: false })),
  ];
};

test("imports are read in every form that the language has", () => {
  const source = `
    import a, { b } from "./a.ts"; // import x from "./no.ts"
    import type { C } from "./c.ts";
    import { type D, type E } from "./d.ts";
    import { type F, g } from "./f.ts";
    import "./effect.css";
    export { h } from './h.ts';
    /* import y from "./no.ts" */
    const late = await import("./late.ts");
  `;
  expect(importsOf(source)).toEqual([
    { from: "./a.ts", types: false },
    { from: "./c.ts", types: true },
    { from: "./d.ts", types: true },
    { from: "./f.ts", types: false },
    { from: "./h.ts", types: false },
    { from: "./effect.css", types: false },
    { from: "./late.ts", types: false },
  ]);
});

// Who may import whom

/** What every folder may use, those of core included: files of core, and a folder of it. */
const base = [
  "core/source-text.ts",
  "core/findings.ts",
  "core/sql.ts",
  "core/wire",
  "core/util/deep-equal.ts",
  "core/util/bounded-cache.ts",
];

/**
 * The table of docs/architecture.md. A name stands for a folder or a file below src, and for all in it. Each folder may
 * use itself and the base.
 */
const table: Readonly<Record<string, { readonly may: readonly string[]; readonly types?: readonly string[] }>> = {
  "core/document": { may: [] },
  "core/rule": { may: [] },
  "core/field": { may: ["core/rule"] },
  "core/model": { may: [], types: ["core/rule", "core/field"] },
  "core/sections": { may: ["core/document", "core/rule", "core/field", "core/model"] },
  "core/decide": { may: ["core/model", "core/rule", "core/field"] },
  // What a call may refuse is what can go wrong with it at all.
  "core/derive": { may: ["core/model", "core/rule", "core/field", "core/decide", "core/explain"] },
  // Who may what is asked of the same gates as when the application runs.
  "core/check": { may: ["core/model", "core/rule", "core/field", "core/decide", "core/derive", "core/explain"] },
  // What changes in the tables is the difference of the tables that two models give.
  "core/change": { may: ["core/model", "core/rule", "core/field", "core/derive"] },
  "core/explain": { may: ["core/model", "core/rule"] },
  "core/compile.ts": { may: ["core"] },
  "core/format.ts": { may: ["core"] },
  "core/autofix.ts": { may: ["core"] },
  postgres: { may: ["core"] },
  server: { may: ["core", "postgres"] },
  jobs: { may: ["core", "postgres", "server/plan"] },
  web: { may: ["core"] },
  cli: { may: ["core", "postgres", "server", "jobs", "index.ts"] },
  "index.ts": { may: ["core", "postgres", "server", "jobs"] },
};

const isIn = (path: string, place: string) => path === place || path === `${place}.ts` || path.startsWith(`${place}/`);
const below = (path: string) => path.replace(/^src\//, "");
const target = (file: string, from: string) => below(join(dirname(file), from));

const strangersIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) => {
    const path = below(file);
    const local = importsOf(source).filter(({ from }) => from.startsWith("."));
    const places = Object.keys(table).filter((place) => isIn(path, place));
    const place = places.sort((a, b) => b.length - a.length)[0];
    if (place === undefined && !base.some((one) => isIn(path, one)) && /\.tsx?$/.test(path))
      return [`${file} lies in no folder of the table`];
    const { may = [], types = [] } = place === undefined ? {} : (table[place] ?? {});
    return local.flatMap(({ from, types: onlyTypes }) => {
      const to = target(file, from);
      const allowed = [...base, ...may, ...(place === undefined ? [] : [place]), ...(onlyTypes ? types : [])];
      return allowed.some((one) => isIn(to, one)) ? [] : [`${file} imports ${to}`];
    });
  });

describe("each folder imports what the table of the architecture lets it", () => {
  test("a stranger is named", () => {
    const bad = {
      "src/core/document/read.ts": 'import { parse } from "../rule/parse.ts";',
      "src/core/model/model.ts": 'import { check } from "../rule/check.ts";',
      "src/core/source-text.ts": 'import { parse } from "./rule/parse.ts";',
      "src/postgres/run.ts": 'import type { Ask } from "../server/ask.ts";',
      "src/jobs/timers.ts": 'import { run } from "../server/run.ts";',
      "src/web/main.tsx": 'import { pool } from "../postgres/pool.ts";',
      "src/server/intent.ts": 'import { main } from "../cli/main.ts";',
      "src/misc/odds.ts": "export const odd = 1;",
    };
    expect(strangersIn(bad)).toEqual([
      "src/core/document/read.ts imports core/expression/syntax/parse.ts",
      "src/core/model/model.ts imports core/expression/type-check/type-check.ts",
      "src/core/source-text.ts imports core/expression/syntax/parse.ts",
      "src/postgres/run.ts imports server/intent.ts",
      "src/jobs/timers.ts imports server/execution/execute.ts",
      "src/web/main.tsx imports postgres/driver/pool.ts",
      "src/server/intent.ts imports cli/main.ts",
      "src/misc/odds.ts lies in no folder of the table",
    ]);
  });

  test("and who may, may", () => {
    const good = {
      "src/core/model/model.ts":
        'import type { Type } from "../rule/type.ts";\nimport { finding } from "../findings.ts";',
      "src/core/sections/rules.ts": 'import { check } from "../rule/check.ts";',
      "src/jobs/timers.ts": 'import { plan } from "../server/plan.ts";',
      "src/cli/main.ts": 'import { serve } from "../server/serve.ts";',
    };
    expect(strangersIn(good)).toEqual([]);
  });

  test("it holds", () => expect(strangersIn(sources)).toEqual([]));
});

// Packages

const builtins = new Set(builtinModules);
const isBuiltin = (from: string) => from.startsWith("node:") || builtins.has(from.split("/")[0] ?? "");

const impurePackagesIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) => {
    const packages = importsOf(source).map(({ from }) => from);
    if (file.startsWith("src/core/")) return packages.filter(isBuiltin).map((from) => `${file} imports ${from}`);
    if (!file.startsWith("src/web/") || file.endsWith("config.ts")) return [];
    const ofServers = /^(pg|pino|fastify|@fastify\/|@node-rs\/)/;
    return packages.filter((from) => isBuiltin(from) || ofServers.test(from)).map((from) => `${file} imports ${from}`);
  });

describe("core and web run in a browser", () => {
  test("what is Node's is named", () => {
    const bad = {
      "src/core/a.ts": 'import { readFile } from "node:fs/promises";',
      "src/core/b.ts": 'import path from "path";',
      "src/web/c.tsx": 'import pg from "pg";',
      "src/postgres/d.ts": 'import { join } from "node:path";',
    };
    expect(impurePackagesIn(bad)).toEqual([
      "src/core/a.ts imports node:fs/promises",
      "src/core/b.ts imports path",
      "src/web/c.tsx imports pg",
    ]);
  });

  test("it holds", () => expect(impurePackagesIn(sources)).toEqual([]));
});

// Cycles

/** Each cycle once, as the files that it runs through. Imports of types count: a reader goes round them as well. */
const cyclesIn = (files: Files): readonly string[] => {
  const edges = new Map(
    Object.entries(files).map(([file, source]) => [
      file,
      importsOf(source)
        .filter(({ from }) => from.startsWith("."))
        .map(({ from }) => join(dirname(file), from))
        .filter((to) => to in files),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
};

describe("no file imports itself by way of others", () => {
  test("a cycle is named", () => {
    const bad = {
      "src/a.ts": 'import "./b.ts";',
      "src/b.ts": 'import type { C } from "./c.ts";',
      "src/c.ts": 'import "./b.ts"; import "./d.ts";',
      "src/d.ts": "",
    };
    expect(cyclesIn(bad)).toEqual(["src/b.ts → src/c.ts → src/b.ts"]);
  });

  test("it holds", () => expect(cyclesIn(sources)).toEqual([]));
});

// any

const anyIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) =>
    withoutTexts(source)
      .split("\n")
      .filter((line) => /\bas any\b|[:<,|&]\s*any\b(?!\w*\s*[:(])|\bany\[\]|@ts-(ignore|nocheck)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );

describe("nothing is of the type any", () => {
  test("where it is, it is named", () => {
    const bad = {
      "src/a.ts": "const a = b as any;",
      "src/b.ts": "const b = (c: any) => c;",
      "src/c.ts": "const c: Map<string, any> = new Map();",
      "src/d.ts": 'const any = "as any"; // as any\nconst d = any;',
    };
    expect(anyIn(bad)).toEqual([
      "src/a.ts: const a = b as any;",
      "src/b.ts: const b = (c: any) => c;",
      "src/c.ts: const c: Map<string, any> = new Map();",
    ]);
  });

  test("it holds", () => expect(anyIn(sources)).toEqual([]));
});

// Packages are named exactly

const looseVersionsIn = (manifest: string): readonly string[] => {
  const read = JSON.parse(manifest) as Record<string, Record<string, string> | undefined>;
  return ["dependencies", "devDependencies", "optionalDependencies", "overrides"].flatMap((list) =>
    Object.entries(read[list] ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name} ${version}`),
  );
};

const addressesIn = (lock: string): readonly string[] =>
  Object.entries((JSON.parse(lock) as { packages: Record<string, { resolved?: string }> }).packages)
    .filter(([, { resolved }]) => resolved !== undefined)
    .map(([path]) => path);

describe("what is installed is the same everywhere", () => {
  test("a range of versions is named, and so is an address", () => {
    const manifest = { dependencies: { pg: "^8.0.0", yaml: "2.9.1" }, devDependencies: { vite: "latest" } };
    expect(looseVersionsIn(JSON.stringify(manifest))).toEqual(["pg ^8.0.0", "vite latest"]);
    const lock = { packages: { "": {}, "node_modules/pg": { resolved: "https://example.com/pg.tgz" } } };
    expect(addressesIn(JSON.stringify(lock))).toEqual(["node_modules/pg"]);
  });

  test("package.json has exact versions, package-lock.json no addresses", () => {
    expect(looseVersionsIn(readFileSync(join(root, "package.json"), "utf8"))).toEqual([]);
    expect(addressesIn(readFileSync(join(root, "package-lock.json"), "utf8"))).toEqual([]);
  });
});

// Nothing of the machine it was written on

const machineIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, text]) =>
    text
      .split("\n")
      .filter((line) => /(^|[\s"'`(=:<])\/(work|home|Users)\/|\bregistry\.[a-z]|^\s*(@[\w-]+:)?registry\s*=/.test(line))
      .map((line) => `${file}: ${line.trim().slice(0, 80)}`),
  );

describe("no file speaks of the machine that it was written on", () => {
  test("a path or a registry is named", () => {
    // Put together here, so that this file is not one of them.
    const slash = "/";
    const bad = {
      "a.md": `See ${slash}work/main/README.md.`,
      "b.ts": `const home = "${slash}home/ada/ninefold";`,
      ".npmrc": `registry${"="}https://registry${"."}example.com/`,
      "c.md": "The registry. It works or goes on; see https://example.com/works/it.",
    };
    expect(machineIn(bad)).toHaveLength(3);
  });

  test("it holds", () => {
    const texts = filesUnder(".", (path) => !/\.(png|jpe?g|ico|woff2?|gz|xlsx)$/.test(path));
    expect(existsSync(join(root, "package.json")) && "package.json" in texts).toBe(true);
    expect(machineIn(texts)).toEqual([]);
  });
});
