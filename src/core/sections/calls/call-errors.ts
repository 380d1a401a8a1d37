import type { Named, Spanned } from "../../document/shape.ts";
import type { Call } from "../../model/endpoint.ts";
import { type BuiltInError, builtInErrors } from "../../model/errors.ts";
import { checkBraces } from "../linking/error-catalogue.ts";
import { type Linking, reportUnknownName } from "../linking/link-context.ts";
import type { CallNames } from "./call-context.ts";

interface ErrorPlace extends Pick<CallNames, "errorCatalogue"> {
  readonly clause: string;
}

/**
 * The entry of point 8 that a call answers in place of a built-in error, with the same values in braces. Undefined, with a
 * finding, if there is none.
 */
export const findCallError = (
  { value, span }: Spanned<string>,
  instead: BuiltInError,
  { clause, errorCatalogue: { errors, messages } }: ErrorPlace,
  linking: Linking,
): string | undefined => {
  linking.mentions.push({ of: "error", entity: "", name: value, span });
  const message = messages.get(value);
  if (message === undefined || !errors.has(value)) {
    reportUnknownName(linking, span, "error in point 8 called", value, messages.keys(), {
      code: "NO_ERROR_ENTRY",
      hint: `Add “${value}” with its status and message to point 8.`,
    });
    return undefined;
  }
  return checkBraces(instead, message, clause, linking) ? value : undefined;
};

/** Links the entries of point 8 that a call answers in place of built-in errors. */
export const linkCallErrors = (
  entries: readonly Named<Spanned<string>>[],
  place: ErrorPlace,
  linking: Linking,
): Call["errors"] => {
  const own = new Map<string, string>();
  for (const { name, key, value } of entries) {
    if (!Object.hasOwn(builtInErrors, name)) {
      reportUnknownName(linking, key, "built-in error", name, Object.keys(builtInErrors));
      continue;
    }
    const error = findCallError(value, name as BuiltInError, place, linking);
    if (error !== undefined) own.set(name, error);
  }
  return own;
};
