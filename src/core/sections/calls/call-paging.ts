import type { Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { getPagingWords, type Paging, USUAL_LIMIT, usualStart } from "../../model/paging.ts";
import type { PagingSyntax } from "./call-syntax.ts";
import type { StepContext } from "./step-context.ts";

const startKeys = { page: "pages", offset: "offset", after: "cursor" } as const;

/** The pages of a list; those of a step that is no list are `none`. */
export const linkPaging = (syntax: PagingSyntax | undefined, step: StepContext): Paging => {
  if (step.kind !== "list") return { by: "none" };
  if (syntax?.span === undefined) return usualPaging(syntax?.kind?.value ?? "cursor");
  const starts = Object.entries(startKeys).flatMap(([key, by]) => {
    const name = syntax[key as keyof typeof startKeys];
    return name === undefined ? [] : [{ by, name }];
  });
  const [start] = starts;
  if (start === undefined || starts.length > 1) {
    step.reportMissingKey(
      syntax.span,
      "This list does not say where a page starts.",
      "Name one parameter: “page” for the number of the page, “offset” for a number of records, or “after” for a token.",
    );
    return usualPaging("cursor");
  }
  checkNames([start.name, ...(syntax.limit === undefined ? [] : [syntax.limit])], step);
  return {
    by: start.by,
    start: start.name.value,
    limit: syntax.limit?.value ?? USUAL_LIMIT,
    size: linkSize(syntax.size, step),
  };
};

const usualPaging = (by: Paging["by"]): Paging =>
  by === "none" ? { by } : { by, start: usualStart[by], limit: USUAL_LIMIT, size: null };

/** A parameter has a name that an address can have without escapes, and no two have one name. */
const checkNames = (names: readonly Spanned<string>[], { clause, report }: StepContext): void => {
  for (const [i, { value, span }] of names.entries())
    if (!/^[\w$][\w$.[\]-]{0,62}$/u.test(value))
      report(
        finding(
          "BAD_NAME",
          span,
          `“${value.slice(0, 40)}” can’t be the name of a query parameter.`,
          "Use letters, digits and underscores.",
          { clause },
        ),
      );
    else if (names.findIndex((name) => name.value === value) !== i)
      report(finding("NAME_TWICE", span, `“${value}” occurs twice.`, "Use two names.", { clause }));
};

/** The number of records of a page: a whole number, or a constant with one. */
const linkSize = (
  size: Spanned<string> | undefined,
  { clause, scope, linking, report }: StepContext,
): number | null => {
  if (size === undefined) return null;
  const name = size.value.replace(/^limits\./u, "");
  const constant = scope.limits.get(name);
  if (constant !== undefined) linking.limitsRead.add(name);
  const text = constant === undefined ? size.value : constant.value;
  const most = getMostOnPage(scope);
  if (/^\d{1,4}$/u.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  report(
    finding(
      "BAD_VALUE",
      size.span,
      `A page can’t have ${text.slice(0, 40)} records.`,
      `Write a number from 1 to ${most}, which is “page_size_max”, or the name of a constant.`,
      { clause },
    ),
  );
  return null;
};

const getMostOnPage = ({ limits }: Scope): number =>
  Math.max(Number(limits.get("page_size_max")?.value), Number(limits.get("page_size")?.value));

/** The names under which a response reads the page that the caller has chosen, such as `input.page`. */
export const pagingNames = (paging: Paging): NonNullable<Scope["names"]> =>
  new Map(
    (paging.by === "cursor" ? [paging.limit] : getPagingWords(paging)).map((name) => [
      `input.${name}`,
      { type: { kind: "integer" }, optional: false },
    ]),
  );

/** `paging: offset`, or `paging` if the parameters have names of their own. */
export const describePaging = (paging: Paging): string =>
  paging.by !== "none" && paging.start === usualStart[paging.by] && paging.limit === USUAL_LIMIT
    ? `paging: ${paging.by}`
    : "paging";
