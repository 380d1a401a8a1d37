import type { Named, ReportFinding, Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { FieldsSyntax } from "../entities/entities-syntax.ts";
import { fieldsShape, writtenType } from "../entities/field-syntax.ts";
import { buildMapping, buildScalar } from "../linking/build-tree.ts";
import type { EntityStates, TransitionSyntax } from "./states-syntax.ts";
import { namesSameState, returnsToPrevious } from "./target-words.ts";

export const voidingTransition = (transition: string): string => `${transition}_void`;

type Needs = NonNullable<TransitionSyntax["needs"]>;

/** A transition with `needs`. `from`: its single source state; `field`: the list of the people who made it. */
export interface ApprovalSyntax {
  readonly entity: string;
  readonly states: EntityStates;
  readonly transition: Named<TransitionSyntax>;
  readonly needs: Needs;
  readonly from: string;
  readonly field: Spanned<string>;
  readonly fields: FieldsSyntax;
}

/** Undefined if the transition has no `needs`, or is reported as wrong. */
export const readApproval = (
  entity: string,
  states: EntityStates,
  transition: Named<TransitionSyntax>,
  fields: FieldsSyntax,
  report: ReportFinding,
): ApprovalSyntax | undefined => {
  const { name, key, value } = transition;
  const { needs, keys } = value;
  const clause = { clause: `4.${entity}.${name}` };
  const wrong = (span: Span | undefined, message: string, hint: string): undefined =>
    void report(finding("BAD_VALUE", span ?? key, message, hint, clause));
  if (needs === undefined) {
    for (const word of ["recorded in", "until"] as const)
      if (
        keys[word] !== undefined &&
        keys.needs === undefined &&
        !(word === "recorded in" && returnsToPrevious(states, value))
      )
        wrong(keys[word], `“${word}” is only for transitions with “needs”.`, `Remove “${word}”, or add “needs: 2”.`);
    return undefined;
  }
  if (returnsToPrevious(states, value))
    return wrong(keys.to, "With “needs”, a transition leads to a named state.", "Name a state after “to:”.");
  const field = value["recorded in"];
  const [from, other] = value.from;
  if (field === undefined) {
    if (keys["recorded in"] === undefined)
      report(
        finding(
          "MISSING_KEY",
          keys.needs ?? key,
          `The transition ${name} needs “recorded in”.`,
          "Add “recorded in:” with a name for the list of the people who made it, such as approved_by.",
          clause,
        ),
      );
    return undefined;
  }
  if (from === undefined) return undefined;
  if (other !== undefined)
    return wrong(keys.from, `With “needs”, a transition starts in one state.`, "Write one transition for each state.");
  if (from.value === value.to.value || namesSameState(states, value))
    return wrong(keys.to, "With “needs”, a transition leads to another state.", "Name another state after “to:”.");
  for (const word of ["timeout", "once"] as const)
    if (keys[word] !== undefined)
      return wrong(keys[word], `“needs” and “${word}” exclude each other.`, `Remove “${word}”.`);
  if (value.by === "none")
    return wrong(keys.by, "“needs” counts people, but “by: none” lets no one act.", "Name a role after “by:”.");
  if (!("kind" in needs) && keys.by !== undefined)
    return wrong(keys.by, "“needs” names the roles already.", "Remove “by”.");
  const declared = fields.find((entry) => entry.name === field.value)?.value;
  if (declared !== undefined && (declared.type?.value !== "User" || declared.many?.value !== true))
    return wrong(
      field.span,
      `${field.value} is not a list of people.`,
      `Write “${field.value}: { type: User, many: true }”, or remove the field from point 3.`,
    );
  for (const { value: item, span } of Array.isArray(value.until) ? value.until : []) {
    const watched = fields.find((entry) => entry.name === item);
    if (watched !== undefined && !isWatchable(watched))
      wrong(
        span,
        `Approvals can’t become void by a change of “${item}”, because ${watched.value.many?.value === true ? "its values" : "values of its type"} can’t be compared.`,
        `Remove “${item}” from “until”, or write no “until”: every change then makes them void.`,
      );
  }
  return { entity, states, transition, needs, from: from.value, field, fields };
};

// --- Point 4

/** A chain of references from a part to the record, such as `order` or `line.order`. */
export interface ApprovalPart {
  readonly entity: string;
  readonly path: string;
}

/** Types whose values cannot be compared with those before a change. */
const uncomparable: ReadonlySet<string | undefined> = new Set(["file", "image", "json"]);

const isWatchable = ({ value }: FieldsSyntax[number]): boolean => !uncomparable.has(writtenType(value));

/** The fields named in `until`; undefined if each change makes the approvals void. */
export const untilFields = ({ transition: { value }, fields }: ApprovalSyntax): FieldsSyntax | undefined => {
  const { until } = value;
  if (until === undefined) return undefined;
  if (until === "none") return [];
  // Changes of lists are those of their parts, and a field that is not watchable is reported.
  const others = new Set(
    fields.filter((field) => field.value.list !== undefined || !isWatchable(field)).map(({ name }) => name),
  );
  return until.flatMap(({ value: name, span }) =>
    others.has(name)
      ? []
      : (fields.find((field) => field.name === name) ??
        // An unknown name is reported where the condition is checked.
        fieldsShape.read(buildMapping(span, { [name]: buildScalar("text", span) }), () => undefined)?.[0] ??
        []),
  );
};

/** A change of the record itself makes the approvals void. */
export const isVoidable = (approval: ApprovalSyntax): boolean => untilFields(approval)?.length !== 0;

export const stateFieldName = ({ states }: ApprovalSyntax): string => states.field?.name.value ?? "state";
