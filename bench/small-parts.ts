// Small parts that are written by hand, each beside a library for the same: script, time, and answers that differ.
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
import { addToDate } from "../src/core/expression/values/calendar.ts";
import { nearest } from "../src/core/source-text.ts";
import { deepEqual } from "../src/core/util/deep-equal.ts";

const versions = {
  "@js-temporal/polyfill": "0.5.1",
  "@tanstack/react-router": "1.170.46",
  "@tanstack/react-virtual": "3.14.26",
  culori: "4.0.2",
  "fast-deep-equal": "3.1.3",
  "fastest-levenshtein": "1.0.16",
  luxon: "3.7.2",
  "react-hook-form": "7.92.0",
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

  const script = {
    "dates, durations and time zones": {
      ours: await weigh(
        from("addToDate, addToInstant, getZone, localToInstant", join(core, "expression/values/calendar.ts")),
      ),
      luxon: await weigh('export { DateTime, Duration } from "luxon";'),
      "@js-temporal/polyfill": await weigh('export { Temporal } from "@js-temporal/polyfill";'),
    },
    "colours with enough contrast": {
      ours: await weigh(from("toOklch, toHex, contrast", join(web, "app/colour.ts"))),
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

  const month = { months: 1, days: 0, milliseconds: 0 };
  const millions = {
    "equality of values": {
      ours: speed((i) => deepEqual(record(i), record(i))),
      "fast-deep-equal": speed((i) => equal(record(i), record(i))),
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

  const results = { script, answers, suggestions, millions };
  console.log(results);
  mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
  writeFileSync(
    new URL("../docs/evidence/small-parts.json", import.meta.url),
    `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, versions, units: { script: "bytes of minified script after gzip", millions: "million calls in a second" }, ...results }, undefined, 2)}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
