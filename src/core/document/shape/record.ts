import { type Finding, finding } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { KeyShape, Parts, ReportFinding, Shape, ShapeForm } from "../shape.ts";
import type { Mapping } from "../tree.ts";
import { takesList } from "./list-and-mapping.ts";
import { capitalize, describeKeys, isUnreadable, reportIfNotShown, reportWrongShape } from "./report.ts";
import { plainText } from "./scalar.ts";
import { findItemsWithoutBrackets, findTextWithoutQuotes, isLoneUnknownKey, unknownKeyFinding } from "./unknown-key.ts";

type PartValue<P> = P extends KeyShape<infer T, infer Need> ? (Need extends "required" ? T : T | undefined) : never;

export const required = <T>(shape: Shape<T>): KeyShape<T, "required"> => ({ shape, need: "required" });
export const optional = <T>(shape: Shape<T>): KeyShape<T, "optional"> => ({ shape, need: "optional" });

/** The value of a record: its parts by key, the span of each key that is present (even misspelt), and its own span. */
export type RecordOf<P extends Parts> = { readonly [K in keyof P]: PartValue<P[K]> } & {
  readonly span: Span;
  readonly keys: { readonly [K in keyof P]?: Span };
};

/** Keys allowed in every clause: where it was shown, or that it was decided here. They have no effect. */
export const keysAllowedEverywhere: Parts = {
  source: { shape: plainText, need: "optional" },
  basis: { shape: plainText, need: "optional" },
};

/** The required keys of a construct, and the parts that take a list. */
interface KindsOfKeys {
  readonly needs: readonly string[];
  readonly lists: ReadonlySet<Parts[string]>;
}

const classifyKeys = (parts: Parts): KindsOfKeys => ({
  needs: Object.keys(parts).filter((key) => parts[key]?.need === "required"),
  lists: new Set(Object.values(parts).filter(({ shape }) => takesList(shape.form))),
});

const readKeys = <P extends Parts>(
  tree: Mapping,
  expected: string,
  parts: P,
  { needs, lists }: KindsOfKeys,
  report: ReportFinding,
): RecordOf<P> | undefined => {
  const values: Record<string, unknown> = {};
  const keys: Record<string, Span> = {};
  const misspelt = new Map<string, Span>();
  let isComplete = true;
  let cut: Finding | undefined;
  let present: ReadonlySet<string> | undefined;
  let index = -1;
  let goOnAt = 0;
  for (const { key, value } of tree.entries) {
    index++;
    if (index < goOnAt) continue;
    const part = Object.hasOwn(parts, key.text)
      ? parts[key.text]
      : Object.hasOwn(keysAllowedEverywhere, key.text)
        ? keysAllowedEverywhere[key.text]
        : undefined;
    if (part === undefined) {
      const goesOn = cut !== undefined && isLoneUnknownKey(tree.entries[index], parts);
      if (goesOn) continue;
      cut = findTextWithoutQuotes(tree.entries, index, parts);
      present ??= new Set(tree.entries.map((entry) => entry.key.text));
      const found = cut ?? unknownKeyFinding(key, value, expected, parts, present);
      report(found);
      // A misspelt key is present: do not report it as missing too.
      if (found.nearest !== undefined && !present.has(found.nearest)) misspelt.set(found.nearest, key.span);
      continue;
    }
    cut = undefined;
    keys[key.text] = key.span;
    const bare = lists.has(part) ? findItemsWithoutBrackets(tree.entries, index, parts) : undefined;
    if (bare !== undefined) {
      report(bare.found);
      goOnAt = bare.end;
      if (part.need === "required") isComplete = false;
      continue;
    }
    if (reportIfNotShown(value, report, part.shape.open ?? key.text)) continue;
    const read = part.shape.read(value, report);
    if (read === undefined && part.need === "required") isComplete = false;
    values[key.text] = read;
  }
  for (const key of needs) {
    if (key in keys) continue;
    isComplete = false;
    // A missing key may be part of something unreadable.
    if (misspelt.has(key) || tree.entries.some((entry) => isUnreadable(entry.value))) continue;
    report(
      finding(
        "MISSING_KEY",
        tree.span,
        `${capitalize(expected)} needs “${key}”.`,
        `Add “${key}:” with ${parts[key]?.shape.expected}.`,
      ),
    );
  }
  for (const [key, span] of misspelt) keys[key] ??= span;
  return isComplete ? (Object.assign(values, { span: tree.span, keys }) as RecordOf<P>) : undefined;
};

const keysForm = (expected: string, parts: Parts, main: string | undefined): ShapeForm => {
  const part = main === undefined ? undefined : parts[main];
  if (main === undefined || part === undefined) return { kind: "keys", parts };
  const keys: Shape<undefined> = { expected, form: { kind: "keys", parts, main }, read: () => undefined };
  return { kind: "one of", shapes: [part.shape, keys] };
};

/**
 * A mapping with keys of the language. If a construct has a main key, a value without keys stands for it: `due_day:
 * date` is `due_day: { type: date }`.
 */
export const record = <const P extends Parts>(
  expected: string,
  parts: P,
  main?: keyof P & string,
): Shape<RecordOf<P>> => {
  const kinds = classifyKeys(parts);
  return {
    expected,
    form: keysForm(expected, parts, main),
    read: (tree, report, expectation) => {
      if (tree.kind === "mapping") return readKeys(tree, expected, parts, kinds, report);
      const part = main === undefined ? undefined : parts[main];
      if (part === undefined || (tree.kind !== "scalar" && !(tree.kind === "list" && takesList(part.shape.form)))) {
        reportWrongShape(report, tree, expectation ?? describeKeys(expected, Object.keys(parts), main));
        return undefined;
      }
      const read = part.shape.read(tree, report);
      // The mistake was reported. Keep the definition, so that its uses are not reported as well.
      if (read === undefined && kinds.needs.includes(main as string)) return undefined;
      return {
        [main as string]: read,
        span: tree.span,
        keys: read === undefined ? { [main as string]: tree.span } : {},
      } as RecordOf<P>;
    },
  };
};
