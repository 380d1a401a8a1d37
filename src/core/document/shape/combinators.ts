import type { Finding, WithFindings } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { Shape } from "../shape.ts";
import { isNone, type Tree } from "../tree.ts";
import { describeShape, reportWrongShape } from "./report.ts";
import { word } from "./scalar.ts";

/** The shape with a default for "not shown", and an optional placeholder. */
export const withDefault = <T>(open: string, of: Shape<T>, undecided?: (span: Span) => T | undefined): Shape<T> => ({
  ...of,
  open,
  ...(undecided === undefined ? {} : { undecided }),
});

/** A recursive shape, created when it is first read. */
export const lazy = <T>(expected: string, make: () => Shape<T>): Shape<T> => {
  let shape: Shape<T> | undefined;
  const of = () => {
    shape ??= make();
    return shape;
  };
  return {
    expected,
    form: { kind: "later", of },
    read: (tree, report, expectation) => of().read(tree, report, expectation),
  };
};

/** Reads a scalar, a list or a mapping by the shape for its kind. */
export const byKind = <T>(expected: string, by: { readonly [K in Tree["kind"]]?: Shape<T> }): Shape<T> => ({
  expected,
  form: { kind: "one of", shapes: Object.values(by) },
  read: (tree, report, expectation = expected) => {
    const shape = by[tree.kind];
    if (shape !== undefined) return shape.read(tree, report, expectation);
    reportWrongShape(report, tree, expectation);
    return undefined;
  },
});

/** Memoizes a shape by tree: an unchanged block yields the same tree and thus the same value. */
export const memoized = <T>(of: Shape<T>): Shape<T> => {
  const known = new WeakMap<Tree, WithFindings<T | undefined>>();
  const readAnew = (tree: Tree): WithFindings<T | undefined> => {
    const findings: Finding[] = [];
    return { value: of.read(tree, (found) => findings.push(found)), findings };
  };
  return {
    ...of,
    read: (tree, report) => {
      const before = known.get(tree);
      const read = before ?? readAnew(tree);
      if (before === undefined) known.set(tree, read);
      read.findings.forEach(report);
      return read.value;
    },
  };
};

/** `none` states that there is none; anything else is read by the shape. */
export const orNone = <T>(of: Shape<T>): Shape<T | "none"> => {
  // Composed once, and only if a value is read.
  let described: string | undefined;
  return {
    expected: `${of.expected}, or none`,
    form: { kind: "one of", shapes: [of, word("none")] },
    read: (tree, report, expectation) => {
      if (isNone(tree)) return "none";
      described ??= `${describeShape(of)}, or none`;
      return of.read(tree, report, expectation ?? described);
    },
  };
};

/** Accepts `none` as well as an empty mapping. */
export const noneAsEmpty = <T>(of: Shape<T>): Shape<T> => {
  const expected = `${of.expected}, or none`;
  return {
    expected,
    form: { kind: "one of", shapes: [of, word("none")] },
    read: (tree, report, expectation = expected) =>
      of.read(
        isNone(tree) ? { kind: "mapping", entries: [], span: tree.span, written: undefined } : tree,
        report,
        expectation,
      ),
  };
};

const nothing: Shape<undefined> = { expected: "nothing", form: { kind: "nothing" }, read: () => undefined };

/** A key without a value stands for itself: `days:` in a payload is the field `days`. */
export const orKeyName = <T>(of: Shape<T>): Shape<T | "itself"> => ({
  expected: of.expected,
  form: { kind: "one of", shapes: [of, nothing] },
  read: (tree, report, expectation) =>
    tree.kind === "scalar" && tree.text === "" && !tree.quoted ? "itself" : of.read(tree, report, expectation),
});

export const map = <A, B>(of: Shape<A>, change: (value: A) => B): Shape<B> => ({
  expected: of.expected,
  form: of.form,
  read: (tree, report, expectation) => {
    const read = of.read(tree, report, expectation);
    return read === undefined ? undefined : change(read);
  },
});
