import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { usePerson } from "../../app/app-context.tsx";
import { getValue } from "../../format/record-values.ts";
import { isNothing } from "../../format/value-shapes.ts";
import { useDecisionFacts } from "../../workflow/decision-facts.ts";
import { findInitialState, findState, nextActionsAfterCreate } from "../../workflow/workflow.ts";

interface FormFact {
  readonly key: string;
  readonly field: FieldJson;
  readonly value: Json | undefined;
}

/**
 * The values of other records on which the next step of a new record depends, such as the days that are left to the person
 * who requests leave. They follow what is chosen in the form.
 */
export const useFormFacts = (
  entity: EntityJson,
  record: RecordJson | null,
  fieldValue: (field: string) => string | undefined,
): readonly FormFact[] => {
  const person = usePerson();
  const isNew = record === null || findState(entity, record)?.name === findInitialState(entity)?.name;
  const facts = (isNew ? nextActionsAfterCreate(entity) : [])
    .flatMap(({ shows = [] }) => shows)
    .filter(
      ({ field, of }, at, all) =>
        of !== undefined && all.findIndex((one) => one.field === field && one.of === of) === at,
    );
  const referenceAt = (name: string): Json | undefined => {
    const entered = fieldValue(name);
    if (entered !== undefined) return entered === "" ? undefined : { id: entered, label: "" };
    if (record !== null) return getValue(record, name) as Json | undefined;
    const isMaker = entity.fields.some((field) => field.name === name && field.maker === true);
    return isMaker && person ? { id: person.id, label: person.name } : undefined;
  };
  const source = Object.fromEntries(facts.map(({ of = "" }) => [of, referenceAt(of)]));
  return useDecisionFacts(entity, facts, source).flatMap(({ key, field, in: found }) => {
    const value = found === undefined ? undefined : (getValue(found, field.name) as Json | undefined);
    return isNothing(value) ? [] : [{ key, field, value }];
  });
};
