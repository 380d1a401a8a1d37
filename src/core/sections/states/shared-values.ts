import type { Named, ReportFinding, Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { EntitiesSyntax } from "../entities/entities-syntax.ts";
import type { ChoiceSyntax, FieldSyntax } from "../entities/field-syntax.ts";
import type { StatesSyntax, TransitionSyntax } from "./states-syntax.ts";

/*
 * A choice that has the values of another one, `urgency: { type: choice, values: Repair.urgency }`, is written out with
 * them and their former names. So all other stages see only lists of values.
 */

interface Points {
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
}

/** Writes out the values of fields, and of values of acts, that name another field. Reports names without values. */
export const expandSharedValues = <P extends Points>(points: P, report: ReportFinding): P => {
  const { entities, states } = points;
  // Listed on first use: in most documents, no choice has the values of another one.
  let known: ReadonlyMap<string, readonly ChoiceSyntax[]> | undefined;
  const withValues = (field: FieldSyntax): FieldSyntax => {
    const { values } = field;
    if (values?.of === undefined) return field;
    known ??= listChoices(entities);
    return { ...field, values: { ...values, choices: findChoices(values.of, known, report) } };
  };
  const named = <N extends Named<FieldSyntax>>(fields: readonly N[]): readonly N[] =>
    fields.map((field) => ({ ...field, value: withValues(field.value) }));
  const isSharing = ({ values }: FieldSyntax): boolean => values?.of !== undefined;
  return {
    ...points,
    ...(entities === undefined || entities === "none"
      ? {}
      : {
          entities: entities.map((entity) => {
            const { fields } = entity.value;
            if (fields?.some(({ value }) => isSharing(value)) !== true) return entity;
            return { ...entity, value: { ...entity.value, fields: named(fields) } };
          }),
        }),
    ...(states === undefined || states === "none"
      ? {}
      : {
          states: states.map((entity) => {
            const isAsking = ({ value }: Named<TransitionSyntax>): boolean =>
              value.asks?.some(({ field }) => field !== undefined && isSharing(field)) === true;
            if (entity.value.transitions?.some(isAsking) !== true) return entity;
            const transitions = entity.value.transitions?.map((transition) => ({
              ...transition,
              value: {
                ...transition.value,
                asks: transition.value.asks?.map((ask) =>
                  ask.field === undefined ? ask : { ...ask, field: withValues(ask.field) },
                ),
              },
            }));
            return { ...entity, value: { ...entity.value, transitions } };
          }),
        }),
  };
};

/** The fields that list their values, as `Repair.urgency`. */
const listChoices = (entities: EntitiesSyntax | undefined): ReadonlyMap<string, readonly ChoiceSyntax[]> =>
  new Map(
    (entities === undefined || entities === "none" ? [] : entities).flatMap(({ name: entity, value }) =>
      (value.fields ?? []).flatMap(({ name, value: { values } }) =>
        values === undefined || values.of !== undefined ? [] : [[`${entity}.${name}`, values.choices] as const],
      ),
    ),
  );

const findChoices = (
  { value, span }: Spanned<string>,
  known: ReadonlyMap<string, readonly ChoiceSyntax[]>,
  report: ReportFinding,
): readonly ChoiceSyntax[] => {
  const choices = known.get(value);
  if (choices === undefined)
    report(
      finding(
        "UNKNOWN_NAME",
        span,
        `“${value}” is not a field that lists its values.`,
        "Write the values in brackets, or an entity and its field that lists them, such as Repair.urgency.",
      ),
    );
  return choices ?? [];
};
