import type { Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { findBraces } from "../../expression/syntax/braces.ts";
import { finding } from "../../findings.ts";
import { type BuiltInError, builtInErrors, isWithoutField, SENT_VALUES } from "../../model/errors.ts";
import type { ErrorEntry } from "../../model/model.ts";
import type { Linking } from "./link-context.ts";

/** The error catalogue while rules and calls refer to it. */
export interface LinkedErrors {
  readonly errors: ReadonlyMap<string, ErrorEntry>;
  /** Messages as written; each is linked in the scope of the rule that raises it. */
  readonly messages: ReadonlyMap<string, Scalar>;
  /** The form fields at which errors are shown, if the document names them. */
  readonly places: ReadonlyMap<string, Spanned<string>>;
}

/**
 * True if the new message of a built-in error uses only the values of that error in braces. Otherwise reports the first
 * other one.
 */
export const checkBraces = (
  code: BuiltInError,
  message: Scalar,
  clause: string | undefined,
  linking: Linking,
): boolean => {
  const ofRequest = code === "BAD_QUERY" ? ["member"] : isWithoutField(code) ? [] : SENT_VALUES;
  const places = [...findBraces(builtInErrors[code].message), ...ofRequest];
  const other = findBraces(message.text).find((place) => !places.includes(place));
  if (other === undefined) return true;
  linking.report(
    finding(
      "BAD_VALUE",
      message.span,
      `${code} has no value {${other}}.`,
      places.length === 0 ? "Remove it." : `It has ${places.map((place) => `{${place}}`).join(", ")}.`,
      clause === undefined ? {} : { clause },
    ),
  );
  return false;
};
