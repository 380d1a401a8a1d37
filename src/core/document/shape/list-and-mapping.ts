import { finding } from "../../findings.ts";
import type { Named, Shape, ShapeForm } from "../shape.ts";
import { isNone, type Mapping, type Scalar } from "../tree.ts";
import { checkName, type NameKind, nameRules } from "./name.ts";
import { isUnreadable, noneHint, reportIfNotShown, reportWrongShape } from "./report.ts";

export const list = <T>(of: Shape<T>): Shape<readonly T[]> => {
  const expected = `a list, each ${of.expected}`;
  return {
    expected,
    form: { kind: "list", of },
    read: (tree, report, expectation = expected) => {
      if (tree.kind === "list") {
        const read = tree.items.map((item) => of.read(item, report)).filter((item) => item !== undefined);
        // A list without a readable item is unknown, not empty.
        return read.length === 0 && tree.items.length > 0 ? undefined : read;
      }
      const items = withoutBrackets(tree, of);
      if (items === undefined) {
        reportWrongShape(report, tree, expectation);
        return undefined;
      }
      const { span } = tree;
      const insertion = (at: number, text: string) => ({ span: { ...span, start: at, end: at }, text });
      const isOnOneLine = tree.kind === "scalar" || tree.written !== undefined;
      const fix = isOnOneLine ? { fix: [insertion(span.start, "["), insertion(span.end, "]")] } : {};
      report(finding("WRONG_SHAPE", span, "A list is required here.", "Put the items in brackets.", fix));
      return items;
    },
  };
};

/** The items if brackets are missing; undefined if that is not certain. */
const withoutBrackets = <T>(tree: Scalar | Mapping, of: Shape<T>): readonly T[] | undefined => {
  if (tree.kind === "scalar" && (isUnreadable(tree) || tree.text === "" || isNone(tree))) return undefined;
  const parts =
    tree.kind === "scalar" && !tree.quoted
      ? tree.text.split(",").map((text) => ({ ...tree, text: text.trim() }))
      : [tree];
  let fits = true;
  const items = parts.map((part) =>
    of.read(part, () => {
      fits = false;
    }),
  );
  return fits && items.every((item) => item !== undefined) ? (items as readonly T[]) : undefined;
};

/** A list, or a single item without brackets. */
export const listOrOne = <T>(of: Shape<T>): Shape<readonly T[]> => {
  const expected = `${of.expected} or a list of them`;
  const several = list(of);
  return {
    expected,
    form: { kind: "one of", shapes: [of, several] },
    read: (tree, report, expectation = expected) => {
      if (tree.kind === "list") return several.read(tree, report);
      const single = of.read(tree, report, expectation);
      return single === undefined ? undefined : [single];
    },
  };
};

/** A mapping whose keys are the author's names. */
export const named = <T>(kind: NameKind, of: Shape<T>): Shape<readonly Named<T>[]> => {
  const expected = `a mapping from names to ${of.expected}`;
  return {
    expected,
    form: { kind: "mapping", entries: [{ keys: nameRules[kind].pattern, of }] },
    read: (tree, report, expectation = expected) => {
      if (tree.kind !== "mapping") {
        reportWrongShape(report, tree, expectation, noneHint(tree));
        return undefined;
      }
      return tree.entries.flatMap(({ key, value }) => {
        if (!checkName(key, kind, report)) return [];
        const read = reportIfNotShown(value, report, of.open) ? of.undecided?.(value.span) : of.read(value, report);
        return read === undefined ? [] : [{ name: key.text, key: key.span, value: read }];
      });
    },
  };
};

/** A mapping whose keys are not names, such as routes and texts. `offers` are keys that the platform reads. */
export const keyed = <T>(
  expected: string,
  of: Shape<T>,
  offers: readonly string[] = [],
): Shape<readonly Named<T>[]> => ({
  expected,
  form: { kind: "mapping", entries: [{ of }], offers },
  read: (tree, report, expectation = expected) => {
    if (tree.kind !== "mapping") {
      reportWrongShape(report, tree, expectation, noneHint(tree));
      return undefined;
    }
    return tree.entries.flatMap(({ key, value }) => {
      if (reportIfNotShown(value, report, of.open)) return [];
      const read = of.read(value, report);
      return read === undefined ? [] : [{ name: key.text, key: key.span, value: read }];
    });
  },
});

/** A mapping with exactly one entry: `{ granted: { tone: good } }`. */
export const single = <T>(expected: string, kind: NameKind, of: Shape<T>): Shape<Named<T>> => ({
  expected,
  form: { kind: "mapping", entries: [{ keys: nameRules[kind].pattern, of }], single: true },
  read: (tree, report, expectation = expected) => {
    if (tree.kind === "mapping" && tree.entries.length === 1) return named(kind, of).read(tree, report)?.[0];
    reportWrongShape(report, tree, expectation);
    return undefined;
  },
});

/** A mapping whose keys are the author's names, read by the caller; each kind of name has its own values. */
export const namesForm = (entries: readonly { readonly kind: NameKind; readonly of: Shape<unknown> }[]): ShapeForm => ({
  kind: "mapping",
  entries: entries.map(({ kind, of }) => ({ keys: nameRules[kind].pattern, of })),
});

export const takesList = (form: ShapeForm): boolean =>
  form.kind === "list" || (form.kind === "one of" && form.shapes.some((shape) => takesList(shape.form)));
