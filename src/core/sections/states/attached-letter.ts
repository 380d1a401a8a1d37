import type { Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import { type Linking, reportUnknownName } from "../linking/link-context.ts";

/** The addresses of letters, by entity and by the name at their end: `/orders/{id}/letter` is `letter` of `Order`. */
export type LetterPaths = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** The name of the letter that `attach: letter` names; null without one, or with a mistake, which is reported. */
export const linkAttached = (
  attach: Spanned<string> | undefined,
  entity: string,
  letters: LetterPaths,
  clause: Clause,
  linking: Linking,
): string | null => {
  if (attach === undefined) return null;
  const own = letters.get(entity) ?? new Map<string, readonly string[]>();
  const [path, second] = own.get(attach.value) ?? [];
  if (path !== undefined && second === undefined) return attach.value;
  const { value, span } = attach;
  const wrong = (message: string, hint: string, near?: string) =>
    linking.report(
      finding("BAD_VALUE", span, message, hint, {
        clause: clause.id,
        ...(near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] }),
      }),
    );
  const byAddress = [...own].find(([, paths]) => paths.includes(value))?.[0];
  const other = [...letters].find(([, names]) => names.has(value))?.[0];
  if (second !== undefined)
    wrong(
      `Two letters about ${entity} have the name “${value}”: ${path} and ${second}.`,
      "Give one of them an address with another end.",
    );
  else if (byAddress !== undefined)
    wrong("A letter is named by the end of its address.", `Did you mean “${byAddress}”?`, byAddress);
  else if (other !== undefined)
    wrong(
      `The letter “${value}” is about ${other}, but this notification is about ${entity}.`,
      `Attach a letter about ${entity}, or write one in point 2.`,
    );
  else reportUnknownName(linking, span, `letter about ${entity}`, value, own.keys());
  return null;
};
