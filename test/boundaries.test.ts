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
      else if (entry.isFile() && entry.name !== ".git" && wanted(inner))
        found[relative(root, inner)] = readFileSync(inner, "utf8");
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

test("imports are read in every form of the language", () => {
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

// Imports between folders

/** Files and folders of core that every folder may use. */
const base = ["core/source-text.ts", "core/findings.ts", "core/sql.ts", "core/wire", "core/util"];

/**
 * The table of docs/architecture.md. A name stands for a folder or a file below src, and for everything in it. Each folder
 * may also use itself and the base.
 */
const table: Readonly<Record<string, { readonly may: readonly string[]; readonly types?: readonly string[] }>> = {
  "core/document": { may: [] },
  "core/expression": { may: [] },
  "core/field": { may: ["core/expression"] },
  "core/i18n": { may: [] },
  "core/model": { may: ["core/i18n", "core/expression"], types: ["core/field"] },
  "core/sections": { may: ["core/i18n", "core/document", "core/expression", "core/field", "core/model"] },
  "core/repair": { may: ["core/document", "core/model", "core/sections"] },
  "core/satisfiability": { may: ["core/model", "core/expression", "core/field"] },
  "core/explain": { may: ["core/i18n", "core/model", "core/expression"] },
  "core/derive": { may: ["core/model", "core/expression", "core/field", "core/satisfiability", "core/explain"] },
  "core/analysis": {
    may: ["core/model", "core/expression", "core/field", "core/satisfiability", "core/derive", "core/explain"],
  },
  "core/change": {
    may: [
      "core/model",
      "core/expression",
      "core/field",
      "core/satisfiability",
      "core/derive",
      "core/explain",
      "core/analysis",
      "core/i18n",
    ],
  },
  "core/migration": { may: ["core/i18n", "core/model", "core/expression", "core/field", "core/derive"] },
  "core/draft": { may: ["core/model", "core/sections"] },
  "core/import": { may: ["core/draft", "core/expression", "core/field", "core/model"] },
  "core/editor": { may: ["core"] },
  "core/compile.ts": { may: ["core"] },
  "core/format.ts": { may: ["core"] },
  "core/autofix.ts": { may: ["core"] },
  "core/bring-back-clause.ts": { may: ["core"] },
  "core/write-was.ts": { may: ["core"] },
  postgres: { may: ["core"] },
  storage: { may: [] },
  server: { may: ["core", "postgres", "storage"] },
  jobs: { may: ["core", "postgres", "server/plan"] },
  web: { may: ["core"] },
  preview: { may: ["core", "postgres", "storage", "server", "jobs"] },
  cli: { may: ["core", "postgres", "storage", "server", "jobs", "preview", "index.ts"] },
  "index.ts": { may: ["core", "postgres", "server", "jobs"] },
};

/**
 * The order of the folders and files inside the large folders. Each imports only from the layers above it in this list,
 * never from its own layer or a later one.
 */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "core/expression": [
    ["values"],
    ["operations"],
    ["expr.ts", "syntax"],
    ["boolean-exprs.ts"],
    ["inspect"],
    ["rewrite", "type-check"],
    ["compile"],
  ],
  "core/sections": [
    ["linking"],
    ["entities"],
    ["rules", "states"],
    ["permissions"],
    ["calls", "screens"],
    ["."],
    ["deputies"],
  ],
  "core/derive": [["authorization", "sql"], ["consistency"], ["http"], ["client", "openapi", "tables"]],
  "core/analysis": [
    ["fields-read.ts", "incremental.ts", "principals.ts", "witness-text.ts"],
    ["analyzer.ts"],
    ["disclosure", "entities", "permissions"],
    ["states"],
    ["."],
  ],
  postgres: [
    ["driver", "embedded"],
    ["database.ts"],
    ["listen.ts", "standbys.ts", "with-retries.ts"],
    ["wait-for-database.ts"],
    ["schema"],
    ["backup", "job"],
    ["preview"],
  ],
  server: [
    ["refusal.ts", "lifecycle", "limits", "util"],
    ["intent.ts", "problems"],
    ["plan"],
    ["execution", "telemetry"],
    ["mail"],
    ["files", "http"],
    ["auth"],
    ["route-context.ts"],
    ["explain"],
    ["accounts", "authoring", "pages"],
    ["proposals"],
    ["custom-endpoints", "records"],
    ["imports", "sample"],
    ["app.ts"],
    ["serving"],
    ["serve.ts"],
  ],
  "server/plan": [
    ["aliases.ts", "statements.ts"],
    ["result-columns.ts"],
    ["context.ts", "outcome.ts", "steps.ts"],
    ["plan.ts", "row"],
    ["read", "history", "input"],
    ["checks", "custom-endpoints"],
    ["explain", "transaction"],
    ["parts", "effects"],
    ["after-write.ts"],
    ["write"],
    ["plan-intent.ts"],
    ["endpoint-steps"],
    ["plan-custom-endpoint.ts", "plan-writes.ts"],
  ],
  web: [
    ["util"],
    ["api", "format", "routing"],
    ["i18n"],
    ["app"],
    ["ui"],
    ["field", "workflow", "workbench"],
    ["form"],
    ["permissions"],
    ["actions", "sign-in"],
    ["list", "people"],
    ["board", "calendar", "dashboard", "record"],
    ["screen"],
    ["frame"],
    ["main.tsx"],
  ],
  "web/ui": [["dom"], ["."], ["control"], ["overlay"], ["page"]],
  "web/workbench": [
    ["."],
    ["plan"],
    ["draft"],
    ["editor"],
    ["start"],
    ["document", "map", "permissions", "questions", "versions"],
    ["proposals"],
  ],
  "web/form": [["state"], ["hooks"], ["."], ["page"]],
  "web/list": [["bulk", "filter", "import", "table"], ["groups", "rows"], ["pivot", "selection"], ["export"], ["."]],
  "web/dashboard": [["chart"], ["."]],
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

describe("each folder imports only what the table of the architecture allows", () => {
  test("a forbidden import is reported", () => {
    const bad = {
      "src/core/document/read.ts": 'import { parse } from "../expression/syntax/parse.ts";',
      "src/core/model/model.ts": 'import { kinds } from "../field/kinds.ts";',
      "src/core/sql.ts": 'import { parse } from "./expression/syntax/parse.ts";',
      "src/postgres/run.ts": 'import type { Intent } from "../server/intent.ts";',
      "src/jobs/timers.ts": 'import { execute } from "../server/execution/execute.ts";',
      "src/web/main.tsx": 'import { pool } from "../postgres/driver/pool.ts";',
      "src/server/intent.ts": 'import { main } from "../cli/main.ts";',
      "src/misc/odds.ts": "export const odd = 1;",
    };
    expect(strangersIn(bad)).toEqual([
      "src/core/document/read.ts imports core/expression/syntax/parse.ts",
      "src/core/model/model.ts imports core/field/kinds.ts",
      "src/core/sql.ts imports core/expression/syntax/parse.ts",
      "src/postgres/run.ts imports server/intent.ts",
      "src/jobs/timers.ts imports server/execution/execute.ts",
      "src/web/main.tsx imports postgres/driver/pool.ts",
      "src/server/intent.ts imports cli/main.ts",
      "src/misc/odds.ts lies in no folder of the table",
    ]);
  });

  test("a permitted import is not", () => {
    const good = {
      "src/core/model/model.ts":
        'import type { FieldKind } from "../field/kind.ts";\nimport { finding } from "../findings.ts";',
      "src/core/sections/rules/rules.ts": 'import { check } from "../../expression/type-check/type-check.ts";',
      "src/jobs/timers.ts": 'import { plan } from "../server/plan/plan.ts";',
      "src/cli/main.ts": 'import { serve } from "../server/serve.ts";',
    };
    expect(strangersIn(good)).toEqual([]);
  });

  test("the sources comply", () => expect(strangersIn(sources)).toEqual([]));
});

// The order inside the large folders

/** The unit of a folder that a path belongs to: a folder or a file directly in it, or "." for any such file. */
const unitIn = (folder: string, path: string, units: ReadonlySet<string>): string | undefined => {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [first = "", ...rest] = path.slice(folder.length + 1).split("/");
  return rest.length > 0 || units.has(first) ? first : ".";
};

const outOfOrderIn = (files: Files, order: typeof layers): readonly string[] =>
  Object.entries(order).flatMap(([folder, list]) => {
    const layerOf = new Map(list.flatMap((units, layer) => units.map((unit) => [unit, layer] as const)));
    const units = new Set(layerOf.keys());
    return Object.entries(files).flatMap(([file, source]) => {
      const from = unitIn(folder, below(file), units);
      if (from === undefined) return [];
      const layer = layerOf.get(from);
      if (layer === undefined) return [`${file}: ${from} is in no layer of ${folder}`];
      return importsOf(source)
        .filter((one) => one.from.startsWith("."))
        .map((one) => target(file, one.from))
        .filter((path) => /\.tsx?$/.test(path))
        .filter((path) => {
          const to = unitIn(folder, path, units);
          return to !== undefined && to !== from && (layerOf.get(to) ?? layer) >= layer;
        })
        .map((path) => `${file} imports ${path}`);
    });
  });

describe("each folder imports only from the layers before its own", () => {
  const order = { web: [["util"], ["app", "ui"], ["main.tsx"]] };

  test("an import of its own or a later layer is reported", () => {
    const bad = {
      "src/web/util/store.ts": 'import { app } from "../app/app.ts";',
      "src/web/app/app.ts": 'import { button } from "../ui/button.tsx";',
      "src/web/odd/odd.ts": "",
    };
    expect(outOfOrderIn(bad, order)).toEqual([
      "src/web/util/store.ts imports web/app/app.ts",
      "src/web/app/app.ts imports web/ui/button.tsx",
      "src/web/odd/odd.ts: odd is in no layer of web",
    ]);
  });

  test("an import of an earlier layer is not", () => {
    const good = { "src/web/main.tsx": 'import "./ui/button.tsx";', "src/web/ui/button.tsx": 'import "../util/a.ts";' };
    expect(outOfOrderIn(good, order)).toEqual([]);
  });

  test("the sources comply", () => expect(outOfOrderIn(sources, layers)).toEqual([]));
});

// The first script of a page

/** What pages load on demand: the parsers of values, the language of expressions, and the compiler. */
const loadedLater = [
  "core/field/kinds.ts",
  "core/expression/operations",
  "core/expression/compile",
  "core/sections",
  "web/format/input-value.ts",
];

/** Only somebody who fills in a form needs the controls, and what reads their values. */
const forms = [...loadedLater, "web/field/inputs.ts", "web/field/form-values.ts", "web/form/form-field.tsx"];

/** Only computed values and rules need it, once somebody fills in a form that has them. */
const evaluator = ["core/expression/operations", "core/expression/compile", "web/form/state/evaluator.ts"];

/** The imports through which the entry reaches a file that is loaded on demand. Dynamic imports do not count. */
const earlyIn = (files: Files, entry: string, later: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  const early: string[] = [];
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { from, types } of importsOf((files[file] ?? "").replaceAll(/\bimport\(/gu, "later("))) {
      if (types || !from.startsWith(".")) continue;
      const to = target(file, from);
      if (later.some((one) => isIn(to, one))) early.push(`${file} imports ${to}`);
      else visit(`src/${to}`);
    }
  };
  visit(entry);
  return early;
};

describe("the first script of a page has only what each page needs", () => {
  test("an import on the way is reported, a dynamic one is not", () => {
    const files = {
      "src/web/main.tsx": 'import "./app.ts";\nconst load = () => import("../core/field/kinds.ts");',
      "src/web/app.ts": 'import { MOST } from "../core/derive/list.ts";',
      "src/core/derive/list.ts": 'import { kinds } from "../field/kinds.ts";',
    };
    expect(earlyIn(files, "src/web/main.tsx", loadedLater)).toEqual([
      "src/core/derive/list.ts imports core/field/kinds.ts",
    ]);
  });

  test("the sources comply", () => expect(earlyIn(sources, "src/web/main.tsx", loadedLater)).toEqual([]));

  // Lists load its code in advance (`vite.config.ts`).
  test("nor does the page of a record load forms with it", () =>
    expect(earlyIn(sources, "src/web/screen/record-screen.tsx", forms)).toEqual([]));

  test("nor does a form load the evaluator with it", () =>
    expect(earlyIn(sources, "src/web/form/error-summary.tsx", evaluator)).toEqual([]));
});

// A page for each large folder

const LARGE = 8;

/** Folders of more than eight sources without a README, and READMEs with what they lack. */
const undocumentedIn = (files: Files): readonly string[] => {
  const counts = new Map<string, number>();
  for (const file of Object.keys(files))
    if (/\.(tsx?|css)$/.test(file)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) => {
    const page = files[`${folder}/README.md`];
    if (page === undefined) return count > LARGE ? [`${folder} has ${count} files and no README.md`] : [];
    const missing = ["In:", "Out:", "Main files:", "Not here:"].filter((part) => !page.includes(`**${part}**`));
    const named = [...page.matchAll(/^ {2}- (`[^:]*):/gmu)].flatMap(
      ([, names = ""]) => names.match(/(?<=`)[\w./-]+(?=`)/gu) ?? [],
    );
    const exists = (name: string) =>
      Object.keys(files).some((file) => ["", ".", "/"].some((end) => `${file}/`.startsWith(`${folder}/${name}${end}`)));
    return [
      ...missing.map((part) => `${folder}/README.md says nothing of “${part}”`),
      ...named
        .filter((name) => !exists(name))
        .map((name) => `${folder}/README.md names ${name}, which is no file there`),
    ];
  });
};

describe("each large folder has a README, and each README is true", () => {
  const nine = Object.fromEntries([..."abcdefghi"].map((name) => [`src/web/ui/${name}.ts`, ""]));

  test("a missing README is reported, and so is an outdated one", () => {
    expect(undocumentedIn(nine)).toEqual(["src/web/ui has 9 files and no README.md"]);
    const page = "**In:** **Out:** **Main files:**\n  - `a`: one\n  - `b`, `z`: none\n";
    const complaints = [
      "src/web/ui/README.md says nothing of “Not here:”",
      "src/web/ui/README.md names z, which is no file there",
    ];
    expect(undocumentedIn({ ...nine, "src/web/ui/README.md": page })).toEqual(complaints);
    const few = { "src/web/ui/a.ts": "", "src/web/ui/b.ts": "", "src/web/ui/README.md": page };
    expect(undocumentedIn(few)).toEqual(complaints);
  });

  test("the sources comply", () => expect(undocumentedIn(filesUnder("src", () => true))).toEqual([]));
});

// Folders that fit one screen

const FULL = 20;

const crowdedIn = (files: Files): readonly string[] => {
  const counts = new Map<string, number>();
  for (const file of Object.keys(files)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > FULL).map(([folder, count]) => `${folder} has ${count} files`);
};

describe("no folder has more files than a reader can survey", () => {
  test("a folder with more is reported", () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`src/web/ui/${at}.ts`, ""]));
    expect(crowdedIn(many)).toEqual(["src/web/ui has 21 files"]);
  });

  test("the sources comply", () => expect(crowdedIn(sources)).toEqual([]));
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
  test("a Node API is reported", () => {
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

  test("the sources comply", () => expect(impurePackagesIn(sources)).toEqual([]));
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

describe("no file imports itself through others", () => {
  test("a cycle is reported", () => {
    const bad = {
      "src/a.ts": 'import "./b.ts";',
      "src/b.ts": 'import type { C } from "./c.ts";',
      "src/c.ts": 'import "./b.ts"; import "./d.ts";',
      "src/d.ts": "",
    };
    expect(cyclesIn(bad)).toEqual(["src/b.ts → src/c.ts → src/b.ts"]);
  });

  test("the sources comply", () => expect(cyclesIn(sources)).toEqual([]));
});

// any

const anyIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) =>
    withoutTexts(source)
      .split("\n")
      .filter((line) => /\bas any\b|[:<,|&]\s*any\b(?!\w*\s*[:(])|\bany\[\]|@ts-(ignore|nocheck)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );

describe("nothing has the type any", () => {
  test("an any is reported", () => {
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

  test("the sources comply", () => expect(anyIn(sources)).toEqual([]));
});

// One name, one meaning

const exported =
  /(?:^|\n)export (?:declare )?(?:const|let|(?:async )?function\*?|(?:abstract )?class|interface|type|enum) (\w+)/g;

/** Counterparts that share names on purpose. */
const counterparts: Readonly<Record<string, RegExp>> = {
  // The texts of each language have the same shape.
  languages: /^src\/core\/i18n\/[a-z]{2}\//,
  // The model and the interface of each field type are known by its name.
  "field types": /^src\/(core\/field|web\/field\/type)\//,
};

/** Exported names that several files define, except counterparts. */
const homonymsIn = (files: Files): readonly string[] => {
  const places = new Map<string, string[]>();
  for (const [file, source] of Object.entries(files))
    for (const name of new Set([...withoutComments(source).matchAll(exported)].map(([, name]) => name ?? "")))
      places.set(name, [...(places.get(name) ?? []), file]);
  return [...places].flatMap(([name, defining]) =>
    defining.length < 2 || Object.values(counterparts).some((one) => defining.every((file) => one.test(file)))
      ? []
      : [`${name} is defined in ${defining.join(" and ")}`],
  );
};

describe("an exported name is defined once", () => {
  test("a name that two files define is reported", () => {
    const bad = {
      "src/a.ts": "export const row = 1;\nexport interface Span {}\n// export const note = 1;",
      "src/b.ts": "export type Span = string;\nconst row = 2;\nexport const note = 2;",
      "src/c.ts": "export async function* row() {}",
    };
    expect(homonymsIn(bad)).toEqual([
      "row is defined in src/a.ts and src/c.ts",
      "Span is defined in src/a.ts and src/b.ts",
    ]);
  });

  test("counterparts and re-exports are not", () => {
    const good = {
      "src/core/i18n/en/mail.ts": "export const texts = 1;",
      "src/core/i18n/fr/mail.ts": "export const texts = 2;",
      "src/core/field/money.ts": "export const money = 1;",
      "src/web/field/type/number/money.tsx": "export const money = 2;",
      "src/index.ts": 'export { money } from "./core/field/money.ts";',
    };
    expect(homonymsIn(good)).toEqual([]);
  });

  test("the sources comply", () => expect(homonymsIn(sources)).toEqual([]));
});

// Functions that a reader can follow

/** Most lines of a function in the sources. */
const LONGEST_FUNCTION = 120;

/** Longer functions, with their most lines. */
const longerFunctions: Readonly<Record<string, number>> = {
  "src/web/list/pivot/pivot-table.tsx PivotTable": 130,
};

/** The sources are formatted, so a function ends at the next line that closes it with the indentation of its head. */
const longFunctionsIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) => {
    const lines = source.split("\n");
    return lines.flatMap((line, at) => {
      const [, indent = "", opener] =
        /^( *)(?!if |for |while |switch |try |else ).*(?:=> ([{(])|(?:function\b|\w\().*\).* (\{))$/.exec(line) ?? [];
      if (!/(?:=> [{(]|\) \{|\): .*\{)$/.test(line) || / (?:if|for|while|switch|catch) \(/.test(` ${line.trim()}`))
        return [];
      const end = lines.findIndex((other, i) => i > at && other.startsWith(`${indent}${opener === "(" ? ")" : "}"}`));
      const head = lines.slice(0, at + 1).findLast((other) => new RegExp(`^${indent}[^ )}]`).test(other)) ?? line;
      const name = /(?:const|function\*?|async)? ?#?(\w+)(?: = |\()/.exec(head)?.[1] ?? head.trim();
      const isClass = / ?class /.test(head);
      return !isClass && end - at + 1 > (longerFunctions[`${file} ${name}`] ?? LONGEST_FUNCTION)
        ? [`${file} ${name} has ${end - at + 1} lines`]
        : [];
    });
  });

describe("no function is longer than a reader can follow", () => {
  test("a longer one is reported", () => {
    const body = "  call();\n".repeat(LONGEST_FUNCTION);
    const bad = {
      "src/a.ts": `const long = ({\n  a,\n}: A): B => {\n${body}};\nconst short = () => {\n  call();\n};\n`,
      "src/b.ts": `class B {\n  async method(): Promise<void> {\n${body.replaceAll("  c", "    c")}  }\n}\n`,
      "src/c.tsx": `export const Part = () => (\n${body});\n`,
    };
    expect(longFunctionsIn(bad)).toEqual([
      "src/a.ts long has 122 lines",
      "src/b.ts method has 122 lines",
      "src/c.tsx Part has 122 lines",
    ]);
  });

  test("the sources comply", () => expect(longFunctionsIn(sources)).toEqual([]));
});

// Names of our own dialect

/**
 * Words that once named members and exports, and that mean too many things: `kept` was a seed record, a stored value
 * and a cache. Use the noun of the glossary. Types of JSON keep their keys.
 */
const dialect = /^(?:kept|said|told|held|made|given|stands|handed|gone|things?|pieces?|mine|theirs|ways?)$/;

/** Exports and members of declared types in the pure code whose names are words of the dialect. */
const dialectIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) => {
    if (!/^src\/(?:core|postgres|preview|jobs)\//.test(file) || /^src\/core\/(?:wire|i18n)\//.test(file)) return [];
    const members = [...withoutComments(source).matchAll(/\n\s+readonly (\w+)\??:/g)];
    return [...withoutComments(source).matchAll(exported), ...members]
      .filter(([, name = ""]) => dialect.test(name))
      .map(([, name]) => `${file}: ${name}`);
  });

describe("names are standard terms", () => {
  test("a word of the dialect is reported", () => {
    const bad = {
      "src/core/a.ts":
        "export const kept = 1;\nexport interface A {\n  readonly told?: string;\n  readonly toldAt: string;\n}",
      "src/core/wire/b.ts": "export interface B {\n  readonly held: boolean;\n}",
    };
    expect(dialectIn(bad)).toEqual(["src/core/a.ts: kept", "src/core/a.ts: told"]);
  });

  test("the sources comply", () => expect(dialectIn(sources)).toEqual([]));
});

// Comments

/** Comments that begin with a word that hides their subject: “What a write does” is “The effects of a write”. */
const vagueCommentsIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) => {
    const opening = /^[ \t]*(?:\{?\/\*+\s*(?:\*\s*)?|\/\/[ \t]*)(?:What|Who|Whoever|Whether|The same)\b.*$/gm;
    const isContinued = (at: number) =>
      /^[ \t]*\/\/(?!.*biome-ignore)/m.test(source.slice(0, at).split("\n").at(-2) ?? "");
    return [...source.matchAll(opening)]
      .filter((found) => !(found[0].trimStart().startsWith("//") && isContinued(found.index)))
      .map((found) => `${file}: ${found[0].trim().split("\n").at(-1)?.trim()}`);
  });

describe("a comment names its subject first", () => {
  test("a comment that does not is reported", () => {
    const bad = {
      "src/a.ts": "/** Whether it is open. */\nconst a = 1;\n// What follows.\nconst b = 2;",
      "src/b.tsx": "/**\n * The same in short.\n */\nconst c = (\n  <p>\n    {/* Who asks */}\n  </p>\n);",
      "src/c.ts": "// A sentence that goes on.\n// What is more: nothing.\n/** True for whoever asks. */\nconst d = 4;",
    };
    expect(vagueCommentsIn(bad)).toEqual([
      "src/a.ts: /** Whether it is open. */",
      "src/a.ts: // What follows.",
      "src/b.tsx: * The same in short.",
      "src/b.tsx: {/* Who asks */}",
    ]);
  });

  const styles = filesUnder("src", (name) => name.endsWith(".css"));
  test("the sources comply", () => expect(vagueCommentsIn({ ...sources, ...styles })).toEqual([]));

  const tools = ["test", "scripts", "bench"].map((folder) =>
    filesUnder(folder, (name) => /\.(ts|tsx|mjs)$/.test(name)),
  );
  const { "test/boundaries.test.ts": _, ...others } = Object.assign({}, ...tools) as Files;
  test("tests, scripts and benchmarks comply", () => expect(vagueCommentsIn(others)).toEqual([]));
});

// One style sheet for each class: all of them stay loaded once a page has used them

/** Sheets for paper and for high contrast change classes of others. */
const variants = /(?:print|forced-colors)\.css$/u;

const sharedClassesIn = (files: Files): readonly string[] => {
  const owners = new Map<string, Set<string>>();
  for (const [file, source] of Object.entries(files))
    if (!variants.test(file))
      for (const [, name = ""] of withoutComments(source).matchAll(/^\.([a-z][\w-]*) \{/gmu))
        owners.set(name, (owners.get(name) ?? new Set()).add(file));
  return [...owners]
    .filter(([, sheets]) => sheets.size > 1)
    .map(([name, sheets]) => `${name}: ${[...sheets].join(", ")}`);
};

describe("each class is defined in one style sheet", () => {
  test("the rule finds what it forbids", () =>
    expect(
      sharedClassesIn({
        "src/a.css": ".parts {\n}\n.own {\n}\n.parts i {\n}",
        "src/b.css": "/* Bars */\n.parts {\n}",
        "src/print.css": ".own {\n}",
      }),
    ).toEqual(["parts: src/a.css, src/b.css"]));

  test("the sources comply", () =>
    expect(sharedClassesIn(filesUnder("src", (name) => name.endsWith(".css")))).toEqual([]));
});

// One builder of each kind of write, one alias of each column of a result

const builders = /\/transaction\/(insert-rows|update-sql|delete-rows)\.ts$/;
/** It deletes records that never were anybody's, and leaves no history of them. */
const withoutHistory = "src/server/sample/removal.ts";

const strayWritesIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) =>
    !file.startsWith("src/server/") || builders.test(file) || file === withoutHistory
      ? []
      : [...source.matchAll(/(?:INSERT INTO|UPDATE|DELETE FROM) (?:\$\{tableSql\(|"?app"?\.)/g)].map(
          ([found]) => `${file}: ${found}`,
        ),
  );

/** The one place that puts table expressions before a statement of a write. */
const statementBuilder = "src/server/plan/transaction/write-statement.ts";

const strayTablesIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) =>
    !/^src\/server\/(accounts|plan\/(checks|effects|parts|transaction|write))\//.test(file) || file === statementBuilder
      ? []
      : [...withoutComments(source).matchAll(/\bWITH [$"]|\bAS MATERIALIZED\b/g)].map(([found]) => `${file}: ${found}`),
  );

/** The list of aliases: what each letter stands for. */
const aliasList = "src/server/plan/aliases.ts";

const strayAliasesIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) =>
    !file.startsWith("src/server/plan/") || file === aliasList
      ? []
      : [...withoutComments(source).matchAll(/(?<!\.)"[a-z]"/g)].map(([found]) => `${file}: ${found}`),
  );

/** The keys under which two places build a statement: the second would get that of the first. */
const sharedKeysIn = (files: Files): readonly string[] => {
  const keys = Object.values(files).flatMap((source) =>
    [...source.matchAll(/\bstatements\s*\.(get|list|find)\(\s*(\[[^\]]*\])/g)].map(
      ([, of = "", key = ""]) => `${of} ${key.replaceAll(/\s+/g, " ")}`,
    ),
  );
  return keys.filter((key, at) => keys.indexOf(key) !== at);
};

const textReadersIn = (files: Files): readonly string[] =>
  Object.entries(files).flatMap(([file, source]) =>
    file.startsWith("src/server/")
      ? [...source.matchAll(/\brow(?:\?\.)?\[["'`][^\]]*\]/g)].map(([found]) => `${file}: ${found}`)
      : [],
  );

describe("one builder writes each kind of statement for records", () => {
  test("another one is reported", () => {
    const bad = {
      "src/server/plan/effects/create.ts": `INSERT INTO \${tableSql(entity)} (\${names})`,
      "src/server/accounts/people.ts": 'UPDATE "app"."user" SET "active" = FALSE',
      "src/server/plan/transaction/delete-rows.ts": `DELETE FROM \${tableSql(entity)}`,
      "src/server/auth/sessions.ts": "DELETE FROM ninefold.session",
    };
    expect(strayWritesIn(bad)).toHaveLength(2);
  });

  test("the sources comply", () => expect(strayWritesIn(sources)).toEqual([]));
});

describe("one builder assembles every statement that writes", () => {
  test("another one is reported", () => {
    const bad = {
      "src/server/plan/write/delete.ts": `sql\`WITH \${current()}, "j" AS MATERIALIZED (SELECT)\``,
      "src/server/plan/parts/insert-parts.ts": `sql\`WITH "n" AS (SELECT)\``,
      "src/server/accounts/accounts.ts": `sql\`WITH \${used}\``,
      "src/server/plan/read/page-sql.ts": `sql\`WITH \${join(sets, ", ")}\``,
      [statementBuilder]: `sql\`WITH \${join(tables, ", ")}\``,
    };
    expect(strayTablesIn(bad)).toHaveLength(4);
  });

  test("the sources comply", () => expect(strayTablesIn(sources)).toEqual([]));
});

describe("the aliases of statements are in one list", () => {
  test("a letter in a statement is reported", () => {
    const bad = {
      "src/server/plan/write/delete.ts": `sql\`SELECT "c"."id" FROM \${CURRENT}\`; // not "n"`,
      "src/server/plan/read/list.ts": 'readScope(model, entity, principal, "t")',
      [aliasList]: 'export const TABLE = alias("t");',
    };
    expect(strayAliasesIn(bad)).toHaveLength(2);
  });

  test("the sources comply", () => expect(strayAliasesIn(sources)).toEqual([]));
});

describe("no two statements have the same key", () => {
  test("a key that is used twice is reported", () => {
    const bad = {
      "src/server/a.ts": 'statements.get(["roles"], one)',
      "src/server/b.ts": 'statements.get(["roles"], two)',
    };
    expect(sharedKeysIn(bad)).toEqual(['get ["roles"]']);
    expect(sharedKeysIn({ "src/server/a.ts": 'statements.get(["roles"]); statements.find(["roles"])' })).toEqual([]);
  });

  test("the sources comply", () => expect(sharedKeysIn(sources)).toEqual([]));
});

describe("a column of a result is read by the constant that names it", () => {
  test("an alias that is written again is reported", () => {
    const bad = { "src/server/a.ts": 'row["is:done"] === true', "src/server/b.ts": "row?.[`rule:0`] === true" };
    expect(textReadersIn(bad)).toHaveLength(2);
    expect(textReadersIn({ "src/server/a.ts": "row.id; row[alias]; rows[0]" })).toEqual([]);
  });

  test("the sources comply", () => expect(textReadersIn(sources)).toEqual([]));
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

describe("dependencies are the same everywhere", () => {
  test("a range of versions is reported, and so is an address", () => {
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

describe("no file mentions the machine on which it was written", () => {
  test("a path or a registry is reported", () => {
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

  test("the sources comply", () => {
    const texts = filesUnder(".", (path) => !/\.(png|jpe?g|ico|woff2?|gz|xlsx)$/.test(path));
    expect(existsSync(join(root, "package.json")) && "package.json" in texts).toBe(true);
    expect(machineIn(texts)).toEqual([]);
  });
});
