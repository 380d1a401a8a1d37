import { type Finding, finding } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { ReportFinding, Shape } from "../shape.ts";
import { isNone, isNotShown, type Tree } from "../tree.ts";

const describeTree = (tree: Tree): string => {
  if (tree.kind === "list") return "a list";
  if (tree.kind === "mapping") return "a mapping";
  return tree.text === "" ? "nothing" : `“${tree.text.length > 40 ? `${tree.text.slice(0, 40)}…` : tree.text}”`;
};

export const isUnreadable = (tree: Tree): boolean => tree.kind === "scalar" && tree.unread === true;

/** Reports a value of the wrong shape, unless it was already reported as unreadable. */
export const reportWrongShape = (report: ReportFinding, tree: Tree, expected: string, more = ""): void => {
  if (!isUnreadable(tree))
    report(finding("WRONG_SHAPE", tree.span, notAllowedMessage(tree), `Write ${expected}.${more}`));
};

/** Leaving out the key has the effect that `none` was meant to have. */
export const noneHint = (tree: Tree): string => (isNone(tree) ? " To have none, omit the key." : "");

/** Describes a shape, with its keys. */
export const describeShape = ({ expected, form }: Shape<unknown>): string =>
  form.kind === "keys" ? describeKeys(expected, Object.keys(form.parts), undefined) : expected;

/** Maximum number of keys listed in a message; for more, see the reference. */
const MOST_KEYS_LISTED = 8;

export const describeKeys = (expected: string, keys: readonly string[], main: string | undefined): string => {
  const listed = `${keys.slice(0, MOST_KEYS_LISTED).join(", ")}${keys.length > MOST_KEYS_LISTED ? " and more" : ""}`;
  return main === undefined
    ? `${expected} with its keys: ${listed}`
    : `${expected}: its “${main}” alone, or its keys: ${listed}`;
};

export const notAllowedMessage = (tree: Tree): string =>
  tree.kind === "scalar" && tree.text === "" && !tree.quoted
    ? "A value is missing here."
    : `${capitalize(describeTree(tree))} is not allowed here.`;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The name that was probably meant, with the edit that inserts it. */
export const replaceName = (span: Span, near: string | undefined): Pick<Finding, "nearest" | "fix"> =>
  near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] };

/** `not shown` as a value means the same as the sentence: nothing is specified, and the default is in force. */
export const reportIfNotShown = (tree: Tree, report: ReportFinding, open?: string): boolean => {
  if (!isNotShown(tree)) return false;
  report(notShownFinding(tree.span, open));
  return true;
};

/** The finding for a value that is not shown. */
export const notShownFinding = (span: Span, open?: string): Finding =>
  finding(
    "NOT_SHOWN",
    span,
    "This is not decided yet (“not shown”).",
    "The list of open points shows the default in use. Replace “not shown” when it is decided.",
    open === undefined ? {} : { open },
  );
