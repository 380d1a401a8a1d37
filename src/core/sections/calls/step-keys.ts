import { type Finding, finding } from "../../findings.ts";
import { FIELDS_WORD, getPagingWords, getSortingWords, type Paging, type Sorting } from "../../model/paging.ts";
import { isCreating } from "./call-address.ts";
import { describePaging } from "./call-paging.ts";
import type { StepSyntax } from "./call-syntax.ts";
import type { StepKind, StepVerb } from "./step-verb.ts";

/** True for steps that write fields of a record, which need not exist before. */
export const writesFields = (kind: StepKind): boolean =>
  isCreating(kind) || kind === "update" || kind === "put" || kind === "transition";

/** Reports the keys of a step that do not go with its verb, and the `takes` that a verb needs. */
export const checkStepKeys = (
  syntax: StepSyntax,
  { kind, entity, replaces }: StepVerb,
  { clause, isOwnAccount }: { readonly clause: string; readonly isOwnAccount: boolean },
  report: (found: Finding) => void,
): void => {
  const isList = kind === "list";
  const isOfRecords = isList && syntax.distinct === undefined;
  const goesWith = (key: keyof StepSyntax["keys"], fits: boolean, calls: string): void => {
    const span = syntax.keys[key];
    if (span !== undefined && !fits)
      report(finding("BAD_VALUE", span, `“${key}” is only for calls that ${calls}.`, "Remove it.", { clause }));
  };
  goesWith("distinct", isList, "list records");
  goesWith("sort", isOfRecords, "list records");
  goesWith("sortable", isOfRecords, "list records");
  goesWith("paging", isList, "list records");
  goesWith(
    "selectable",
    (isOfRecords || kind === "read") && syntax.gives !== undefined,
    "list or read records and have “gives”",
  );
  goesWith("where", !isCreating(kind) && kind !== "put", "find records");
  for (const key of ["set", "asks"] as const) goesWith(key, writesFields(kind), "write fields");
  goesWith("takes", writesFields(kind) || isOwnAccount, "write fields, or read the account of a token");
  if (replaces && syntax.takes === undefined)
    report(
      finding(
        "MISSING_KEY",
        syntax.span,
        `This call does not say what it replaces of ${entity}.`,
        "Add “takes” with the fields that a request gives. Those that it does not send are cleared.",
        { clause },
      ),
    );
};

/** Reports query parameters whose names are taken by the pages, the order or the choice of members of a response. */
export const checkQueryWords = (
  { query = [], selectable = [] }: StepSyntax,
  { paging, sorting }: { readonly paging: Paging; readonly sorting: Sorting },
  clause: string,
  report: (found: Finding) => void,
): void => {
  const reserved = new Map<string, string>([
    ...getPagingWords(paging).map((word) => [word, describePaging(paging)] as const),
    ...getSortingWords(sorting).map((word) => [word, "sortable"] as const),
    ...(selectable.length > 0 ? ([[FIELDS_WORD, "selectable"]] as const) : []),
  ]);
  for (const { name, key } of query) {
    const by = reserved.get(name);
    if (by !== undefined)
      report(
        finding("RESERVED_NAME", key, `“${name}” is reserved for calls with “${by}”.`, "Choose another word.", {
          clause,
        }),
      );
  }
};
