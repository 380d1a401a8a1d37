// Compares small parts that are written by hand with a library for each: size of script, time, and results that differ.
// Installs the libraries in a folder of its own. `npm run bench:small-parts`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import Big from "big.js";
import { build } from "vite";
import { toJs } from "../src/core/expression/compile/to-js.ts";
import { matcher } from "../src/core/expression/operations/pattern.ts";
import { readRule } from "../src/core/expression/type-check/type-check.ts";
import { addToDate } from "../src/core/expression/values/calendar.ts";
import type { EntityShape } from "../src/core/expression/values/type.ts";
import type { JsEnv } from "../src/core/expression/values/value.ts";
import { nearest, type Span } from "../src/core/source-text.ts";
import { deepEqual } from "../src/core/util/deep-equal.ts";
import { measureServerParts } from "./small-parts/server-parts.ts";

const versions = {
  "@base-ui/react": "1.9.0",
  "@fastify/helmet": "13.2.0",
  "@js-temporal/polyfill": "0.5.1",
  "@marcbachmann/cel-js": "8.0.0",
  "@tanstack/react-router": "1.170.46",
  "@tanstack/react-virtual": "3.14.26",
  "csv-stringify": "6.9.0",
  culori: "4.0.2",
  "fast-deep-equal": "3.1.3",
  "fastest-levenshtein": "1.0.16",
  fastify: "5.12.8",
  "file-type": "22.3.0",
  "graphile-worker": "0.18.0",
  luxon: "3.7.2",
  micromark: "4.0.3",
  pluralize: "8.0.0",
  re2js: "2.10.0",
  react: "19.3.1",
  "react-dom": "19.3.1",
  "react-hook-form": "7.92.0",
  zod: "4.6.7",
  zustand: "5.1.0",
};
const core = fileURLToPath(new URL("../src/core/", import.meta.url));
const web = fileURLToPath(new URL("../src/web/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ninefold-small-parts-"));

/** Bytes of the minified script, compressed with gzip. */
const weigh = async (code: string): Promise<number> => {
  const entry = join(folder, "entry.ts");
  writeFileSync(entry, code);
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      target: "es2023",
      lib: { entry, formats: ["es"], fileName: "entry" },
      rolldownOptions: { output: { minify: true }, external: ["big.js", "react", "react-dom", "react/jsx-runtime"] },
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !("output" in output)) throw new Error("nothing was built");
  return gzipSync(output.output.map((one) => ("code" in one ? one.code : "")).join("\n"), { level: 9 }).length;
};

/** Millions of calls in a second. */
const speed = (call: (i: number) => unknown): number => {
  let calls = 0;
  for (let i = 0; i < 20_000; i++) call(i);
  const start = performance.now();
  while (performance.now() - start < 500) for (let i = 0; i < 1_000; i++) call(calls++);
  return Number((calls / 1_000 / (performance.now() - start)).toFixed(2));
};

const requests: EntityShape = {
  name: "Request",
  table: "request",
  fields: new Map([["days", { name: "days", type: { kind: "integer" }, optional: false, column: "days" }]]),
};

const from = (names: string, file: string): string => `export { ${names} } from ${JSON.stringify(file)};`;

try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder });
  const load: (name: string) => unknown = createRequire(pathToFileURL(join(folder, "package.json")));
  const equal = load("fast-deep-equal/es6") as (a: unknown, b: unknown) => boolean;
  const { closest } = load("fastest-levenshtein") as {
    closest: (typed: string, names: readonly string[]) => string;
  };
  const { Temporal } = load("@js-temporal/polyfill") as {
    readonly Temporal: { readonly PlainDate: { from: (day: string) => { add: (by: { months: number }) => object } } };
  };

  const importLibrary = async (name: string): Promise<unknown> =>
    import(pathToFileURL(createRequire(pathToFileURL(join(folder, "package.json"))).resolve(name)).href);
  const { RE2JS } = load("re2js") as {
    readonly RE2JS: { compile: (pattern: string) => { matcher: (text: string) => { find: () => boolean } } };
  };
  const cel = (await importLibrary("@marcbachmann/cel-js")) as {
    parse: (rule: string) => (values: object) => unknown;
  };

  const script = {
    "shapes of blocks": {
      ours: await weigh(
        ["shape", "shape/combinators", "shape/list-and-mapping", "shape/name", "shape/record", "shape/scalar"]
          .map((file) => `export * from ${JSON.stringify(join(core, `document/${file}.ts`))};`)
          .join(""),
      ),
      zod: await weigh('export { array, literal, object, record, string, union } from "zod";'),
    },
    "expressions, with types and SQL": {
      ours: await weigh(
        from("readRule", join(core, "expression/type-check/type-check.ts")) +
          from("toJs", join(core, "expression/compile/to-js.ts")) +
          from("toSql", join(core, "expression/compile/to-sql.ts")),
      ),
      "@marcbachmann/cel-js": await weigh('export { Environment, parse } from "@marcbachmann/cel-js";'),
    },
    patterns: {
      ours: await weigh(
        from("matcher, patternProblem, postgresPattern", join(core, "expression/operations/pattern.ts")),
      ),
      re2js: await weigh('export { RE2JS } from "re2js";'),
    },
    "rich text": {
      ours: await weigh(from("readMarks", join(web, "format/markdown-lite.ts"))),
      micromark: await weigh('export { micromark } from "micromark";'),
    },
    "toasts, dialogs, popups": {
      ours: await weigh(
        from("usePopup, PopupPanel", join(web, "ui/overlay/popup.tsx")) +
          from("Dialog", join(web, "ui/overlay/dialog.tsx")) +
          from("LiveRegions", join(web, "ui/overlay/toast.tsx")),
      ),
      "@base-ui/react": await weigh(
        'export { Dialog } from "@base-ui/react/dialog"; export { Popover } from "@base-ui/react/popover"; export { Toast } from "@base-ui/react/toast";',
      ),
    },
    "dates, durations and time zones": {
      ours: await weigh(
        from("addToDate, addToInstant, getZone, localToInstant", join(core, "expression/values/calendar.ts")),
      ),
      luxon: await weigh('export { DateTime, Duration } from "luxon";'),
      "@js-temporal/polyfill": await weigh('export { Temporal } from "@js-temporal/polyfill";'),
    },
    "colours with enough contrast": {
      ours: await weigh(from("toOklch, toHex, contrast", join(core, "derive/client/look/colour.ts"))),
      culori: await weigh('export { oklch, formatHex, wcagContrast } from "culori";'),
    },
    "equality of values": {
      ours: await weigh(from("deepEqual", join(core, "util/deep-equal.ts"))),
      "fast-deep-equal": await weigh('export { default } from "fast-deep-equal/es6";'),
    },
    store: {
      ours: await weigh(from("createStore", join(web, "util/store.ts"))),
      zustand: await weigh('export { create } from "zustand";'),
    },
    "addresses and navigation": {
      ours: await weigh(
        from("createNavigation", join(web, "routing/navigation.ts")) +
          from("matchScreen", join(core, "derive/http/match-screen.ts")),
      ),
      "@tanstack/react-router": await weigh(
        'export { createRouter, createRootRoute, createRoute, RouterProvider, Link } from "@tanstack/react-router";',
      ),
    },
    "long lists": {
      ours: await weigh(from("useVirtualRows", join(web, "ui/dom/use-virtual-rows.ts"))),
      "@tanstack/react-virtual": await weigh('export { useVirtualizer } from "@tanstack/react-virtual";'),
    },
    "form state": {
      ours: await weigh(
        from("openForm", join(web, "form/state/open-form.ts")) +
          from("enterValue, leaveField, changeRow, moveRow", join(web, "form/state/edit-form.ts")),
      ),
      "react-hook-form": await weigh('export { useForm, useFieldArray } from "react-hook-form";'),
    },
  };

  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["decimals 1.0 and 1", Big("1.0"), Big("1")],
    ["maps with equal lists", new Map([["a", [1]]]), new Map([["a", [1]]])],
    ["maps of sets", new Map([["a", new Set(["x"])]]), new Map([["a", new Set(["x"])]])],
    [
      "maps in another order",
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
      new Map([
        ["b", 2],
        ["a", 1],
      ]),
    ],
    ["sets of equal objects", new Set([{ a: 1 }]), new Set([{ a: 1 }])],
    ["plain values", { a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }],
  ];
  const answers = pairs.map(([pair, a, b]) => ({ pair, ours: deepEqual(a, b), "fast-deep-equal": equal(a, b) }));
  const record = (i: number) => ({ id: i % 7, title: "Dune", tags: ["a", "b"], at: { day: "2026-01-01" } });

  const names = ["name", "status", "start", "state", "date", "due", "manager", "employee"];
  const swaps = names.flatMap((name) =>
    [...name.slice(1)].map((_, i) => [name, name.slice(0, i) + name[i + 1] + name[i] + name.slice(i + 2)] as const),
  );
  const strangers = ["zebra", "quantity", "x", "telephone", "colour"];
  const suggestions = {
    "swapped neighbours": swaps.length,
    "found by ours": swaps.filter(([name, typed]) => nearest(typed, names) === name).length,
    "found by fastest-levenshtein": swaps.filter(([name, typed]) => closest(typed, names) === name).length,
    "unrelated names": strangers.length,
    "answered by ours": strangers.filter((typed) => nearest(typed, names) !== undefined).length,
    "answered by fastest-levenshtein": strangers.filter((typed) => closest(typed, names) !== undefined).length,
  };

  const celRule = cel.parse("days <= 30 && days >= 1");
  const { value: rule } = readRule("days <= 30 && days >= 1", { start: 0, end: 23 } as Span, {
    entity: "Request",
    user: false,
    entities: new Map([["Request", requests]]),
    limits: new Map(),
    timezone: "UTC",
  });
  if (rule === undefined) throw new Error("the rule has findings");
  const ourRule = toJs(rule);
  const pattern = "^[A-Z]{2}-[0-9]{4}(-[a-z]+)?$";
  const [ourPattern, re2] = [matcher(pattern), RE2JS.compile(pattern)];

  const month = { months: 1, days: 0, milliseconds: 0 };
  const millions = {
    "equality of values": {
      ours: speed((i) => deepEqual(record(i), record(i))),
      "fast-deep-equal": speed((i) => equal(record(i), record(i))),
    },
    "a rule with two comparisons": {
      ours: speed((i) => ourRule({ days: i % 40 }, {} as JsEnv)),
      "@marcbachmann/cel-js": speed((i) => celRule({ days: BigInt(i % 40) })),
    },
    "a pattern": {
      ours: speed((i) => ourPattern(`AB-${1_000 + (i % 9_000)}-red`)),
      re2js: speed((i) => re2.matcher(`AB-${1_000 + (i % 9_000)}-red`).find()),
    },
    "a month after a date": {
      ours: speed((i) => addToDate(`2026-01-${10 + (i % 20)}`, month, 1)),
      "@js-temporal/polyfill": speed((i) =>
        Temporal.PlainDate.from(`2026-01-${10 + (i % 20)}`)
          .add({ months: 1 })
          .toString(),
      ),
    },
  };

  const results = { script, answers, suggestions, millions, server: await measureServerParts(importLibrary) };
  console.log(results);
  mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
  writeFileSync(
    new URL("../docs/evidence/small-parts.json", import.meta.url),
    `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, versions, units: { script: "bytes of minified script after gzip", millions: "million calls in a second" }, ...results }, undefined, 2)}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
