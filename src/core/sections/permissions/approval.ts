import { withDefault } from "../../document/shape/combinators.ts";
import { listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { flag, wholeNumber } from "../../document/shape/scalar.ts";
import type { ShapeValue, Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import { ADMINISTRATOR, type Approval, type Role } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";

/** Point 6: the people who propose and approve changes of the document. */
const changes = record("how changes are approved", {
  propose: optional(listOrOne(name("role"))),
  approve: optional(listOrOne(name("role"))),
  approvals: optional(wholeNumber),
  "another person": optional(flag),
});

export const changesShape = withDefault("CHANGES_BY_ADMINISTRATORS", changes);

type ChangesSyntax = ShapeValue<typeof changes>;

/** Maximum number of approvals. In practice, a version that needs more would never be published. */
const MOST_APPROVALS = 9;

const CLAUSE = "6.changes";

/** Links the clauses. Where the document says nothing, administrators publish alone. */
export const linkApproval = (
  syntax: ChangesSyntax | undefined,
  roles: ReadonlyMap<string, Role>,
  linking: Linking,
): Approval => {
  const rolesIn = (items: readonly Spanned<string>[] | undefined): readonly string[] =>
    items === undefined
      ? [ADMINISTRATOR]
      : [...new Set(items.flatMap((role) => checkRole(role, roles, linking) ?? []))];
  const { approvals } = syntax ?? {};
  if (approvals !== undefined && (approvals.value < 1 || approvals.value > MOST_APPROVALS))
    linking.report(
      finding(
        "BAD_VALUE",
        approvals.span,
        `A change can’t need ${approvals.value} approvals.`,
        `Write a number from 1 to ${MOST_APPROVALS}.`,
        { clause: CLAUSE },
      ),
    );
  return {
    clause: syntax === undefined ? null : clauseAt(CLAUSE, syntax.span),
    propose: rolesIn(syntax?.propose),
    approve: rolesIn(syntax?.approve),
    approvals: approvals?.value ?? 1,
    byAnother: syntax?.["another person"]?.value ?? false,
  };
};

const checkRole = (
  { value, span }: Spanned<string>,
  roles: ReadonlyMap<string, Role>,
  linking: Linking,
): string | undefined => {
  const names = [ADMINISTRATOR, ...roles.keys()];
  if (!names.includes(value)) {
    reportUnknownName(linking, span, "role", value, names);
    return undefined;
  }
  if (roles.get(value)?.members === "anyone") {
    reportVisitors(value, span, linking);
    return undefined;
  }
  linking.rolesUsed.add(value);
  return value;
};

const reportVisitors = (role: string, span: Span, linking: Linking): void =>
  linking.report(
    finding(
      "BAD_VALUE",
      span,
      `The role “${role}” includes visitors who are not signed in, so they could change the specification.`,
      "Name a role whose members sign in.",
      { clause: CLAUSE },
    ),
  );

export const listApprovalDefaults = (syntax: ChangesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["CHANGES_BY_ADMINISTRATORS"] : [];
