import { finding } from "../../findings.ts";
import type { ReportFinding, Shape, Spanned } from "../shape.ts";
import type { Scalar } from "../tree.ts";
import { replaceName } from "./report.ts";
import { scalar } from "./scalar.ts";

export const nameRules = {
  entity: { pattern: /^[A-Z][A-Za-z0-9]*$/u, expected: "an entity's name (Request)" },
  field: { pattern: /^[a-z][a-z0-9_]*$/u, expected: "a name in lower case (first_day)" },
  value: {
    pattern: /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/u,
    expected: "a name for a value or a state (in_progress, HIGH, 4x4)",
  },
  role: { pattern: /^[a-z][a-z0-9_]*$/u, expected: "a role's name (keeper)" },
  error: { pattern: /^[A-Z][A-Z0-9_]*$/u, expected: "an error's code (DATES_REVERSED)" },
} as const;

export type NameKind = keyof typeof nameRules;

/** The longest name that Postgres does not truncate. */
export const LONGEST_NAME = 63;

/** Rewrites a name in the style of its kind: “First Day” as `first_day`, or as `FirstDay` for an entity. */
const correctName = (text: string, kind: NameKind): string | undefined => {
  const words =
    text
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .match(/\p{Lu}?[\p{Ll}\d]+|[\p{Lu}\d]+/gu) ?? [];
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const lower = words.map((word) => word.toLowerCase());
  const name =
    kind === "entity"
      ? lower.map(capital).join("")
      : kind === "error"
        ? lower.join("_").toUpperCase()
        : kind === "value" && words.every((word) => word === word.toUpperCase())
          ? words.join("_")
          : lower.join("_");
  return nameRules[kind].pattern.test(name) && name.length <= LONGEST_NAME ? name : undefined;
};

/** Keywords of point 6 for who holds a role; they are not role names. */
const roleMemberWords = /^(?:signed[ -]?in|anyone|granted)$/u;

export const checkName = (at: Scalar, kind: NameKind, report: ReportFinding): boolean => {
  if (kind === "role" && roleMemberWords.test(at.text) && !nameRules.role.pattern.test(at.text)) {
    const message = `“${at.text}” describes the members of a role. It is not a role.`;
    const hint = "Declare a role under “roles” in point 6, such as “member: signed in”, and use its name here.";
    report(finding("BAD_NAME", at.span, message, hint));
    return false;
  }
  if (!nameRules[kind].pattern.test(at.text)) {
    const near = correctName(at.text, kind);
    const rule =
      kind === "value"
        ? "Names consist of letters, digits, underscores and hyphens, without spaces."
        : "Names consist of letters, digits and underscores, without spaces.";
    report(
      finding(
        "BAD_NAME",
        at.span,
        `“${at.text}” is not ${nameRules[kind].expected}.`,
        near === undefined ? rule : `Did you mean “${near}”? ${rule}`,
        replaceName(at.span, near),
      ),
    );
    return false;
  }
  if (at.text.length > LONGEST_NAME) {
    report(
      finding(
        "BAD_NAME",
        at.span,
        `The name “${at.text}” has ${at.text.length} characters, but at most ${LONGEST_NAME} are allowed.`,
        "Shorten it.",
      ),
    );
    return false;
  }
  return true;
};

/** A name used as a value: a field in a list of columns, a state in `from`. */
export const name = (kind: NameKind): Shape<Spanned<string>> =>
  scalar(nameRules[kind].expected, { kind: "name", pattern: nameRules[kind].pattern }, (at, report) =>
    checkName(at, kind, report) ? { value: at.text, span: at.span } : undefined,
  );
