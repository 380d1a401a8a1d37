import { type Finding, finding } from "../../findings.ts";
import { nearest } from "../../source-text.ts";
import type { ReportFinding, Shape, ShapeForm, Spanned } from "../shape.ts";
import type { Scalar, Tree } from "../tree.ts";
import { isUnreadable, notAllowedMessage, replaceName, reportWrongShape } from "./report.ts";

export const scalar = <T>(
  expected: string,
  form: ShapeForm,
  of: (scalar: Scalar, report: ReportFinding, expected: string) => T | undefined,
): Shape<T> => ({
  expected,
  form,
  read: (tree, report, expectation = expected) => {
    if (isUnreadable(tree)) return undefined;
    if (tree.kind === "scalar" && (tree.text !== "" || tree.quoted)) return of(tree, report, expectation);
    const braces = unquotedBracesFinding(tree) ?? (form.kind === "expression" ? unquotedListFinding(tree) : undefined);
    if (braces === undefined) reportWrongShape(report, tree, expectation);
    else report(braces);
    return undefined;
  },
});

/** `notify: [author, author.manager]`: a list is an expression like any other and needs quotes. */
const unquotedListFinding = (tree: Tree): Finding | undefined => {
  if (tree.kind !== "list" || tree.written === undefined || /["\\]/u.test(tree.written)) return undefined;
  const message = "Without quotes, this is a YAML list and not an expression.";
  return finding("NEEDS_QUOTES", tree.span, message, "Put the whole value in quotes.", {
    fix: [{ span: tree.span, text: `"${tree.written}"` }],
  });
};

/** `label: {name}`: without quotes, YAML reads braces as a mapping. */
const unquotedBracesFinding = (tree: Tree): Finding | undefined => {
  if (tree.kind !== "mapping" || tree.written === undefined || /["\\]/u.test(tree.written)) return undefined;
  if (tree.entries.length !== 1 || tree.entries[0]?.alone !== true) return undefined;
  const message = "Without quotes, these braces are not part of the text.";
  return finding("NEEDS_QUOTES", tree.span, message, "Put the whole value in quotes.", {
    fix: [{ span: tree.span, text: `"${tree.written}"` }],
  });
};

/** Text without expressions. */
export const plainText: Shape<Spanned<string>> = scalar("text", { kind: "text" }, (at) => ({
  value: at.text,
  span: at.span,
}));

/** An expression as written, with a mapping from its characters to the file. */
export const expression: Shape<Scalar> = scalar("an expression", { kind: "expression" }, (at) => at);

/** A text with expressions in braces, as written. */
export const template: Shape<Scalar> = scalar("a text", { kind: "text" }, (at) => at);

/** Words from other languages and their equivalents here. */
const wordSynonyms: Readonly<Record<string, string>> = {
  ...{ yes: "true", on: "true", no: "false", off: "false" },
  ...{
    green: "good",
    red: "bad",
    amber: "warning",
    yellow: "warning",
    orange: "warning",
    grey: "neutral",
    gray: "neutral",
  },
  ...{ public: "anyone", everybody: "anyone", everyone: "anyone", authenticated: "signed in", closed: "none" },
};

/** A keyword of the language. */
export const word = <W extends string>(...words: readonly W[]): Shape<Spanned<W>> => {
  const expected = words.length < 3 ? words.map((word) => `“${word}”`).join(" or ") : `one of ${words.join(", ")}`;
  return scalar(expected, { kind: "word", words }, (at, report, expectation) => {
    const found = words.find((candidate) => candidate === at.text);
    if (found !== undefined) return { value: found, span: at.span };
    const near = words.find((word) => word === wordSynonyms[at.text.toLowerCase()]) ?? nearest(at.text, words);
    report(
      finding(
        "BAD_VALUE",
        at.span,
        notAllowedMessage(at),
        near === undefined ? `Write ${expectation}.` : `Did you mean “${near}”?`,
        replaceName(at.span, near),
      ),
    );
    return undefined;
  });
};

export const flag: Shape<Spanned<boolean>> = {
  expected: "true or false",
  form: { kind: "word", words: ["true", "false"] },
  read: (tree, report, expectation) => {
    const value = word("true", "false").read(tree, report, expectation);
    return value && { value: value.value === "true", span: value.span };
  },
};

/** A whole number of the document, such as a maximum length. */
export const wholeNumber: Shape<Spanned<number>> = scalar(
  "a whole number",
  { kind: "whole number" },
  (at, report, expected) => {
    if (/^\d{1,9}$/u.test(at.text)) return { value: Number(at.text), span: at.span };
    reportWrongShape(report, at, expected);
    return undefined;
  },
);
