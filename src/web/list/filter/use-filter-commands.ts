import { useMemo } from "react";
import { type Filters, offersPeriods } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import { useCommands } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { splitStates } from "../../workflow/workflow.ts";
import { listPeriods } from "./list-periods.ts";
import { sayPeriod } from "./period-text.ts";

/** A value by which a field can be filtered, as it is called: “Ordered on: Last month”. */
export interface FilterValue {
  readonly label: string;
  readonly field: FieldJson;
  readonly filters: Filters;
}

/**
 * The values by which a list can be filtered, to be found by typing: “last month” finds “Ordered on: Last month”, “open” finds
 * “Status: Open”, and “office” finds “Category: Office”. The filters that the screen names come first.
 */
export const useFilterValues = (entity: EntityJson, fields: readonly FieldJson[]): readonly FilterValue[] => {
  const words = useWords();
  // A screen can name a field that has a chip as well.
  const names = [...new Set(fields.map(({ name }) => name))].join();
  return useMemo(() => {
    const { say } = words;
    const { open, ended } = splitStates(entity.states);
    const optionsOf = (field: FieldJson): readonly (readonly [label: string, filters: Filters])[] => {
      if (offersPeriods(field))
        return listPeriods(field).map((name) => [sayPeriod(words, name), { [`${field.name}@`]: [name] }]);
      const groups =
        field.type === "state" && open.length > 1 && ended.length > 0
          ? ([
              ["list.filter.open", open],
              ["list.filter.ended", ended],
            ] as const)
          : [];
      const values = field.values ?? [];
      return [
        ...groups
          // A state can have this name.
          .filter(([id]) => values.every(({ label }) => label !== say(id)))
          .map(([id, states]) => [say(id), { [field.name]: states.map(({ name }) => name) }] as const),
        ...values.map(({ value, label }) => [label, { [field.name]: [value] }] as const),
      ];
    };
    return names.split(",").flatMap((name) => {
      const field = entity.fields.find((one) => one.name === name);
      return field === undefined
        ? []
        : optionsOf(field).map(([value, filters]) => ({
            field,
            filters,
            label: say("label.value", { label: field.label, value }),
          }));
    });
  }, [entity, names, words]);
};

/** Lets the palette find the values. */
export const useFilterCommands = (
  values: readonly FilterValue[],
  filter: (field: FieldJson, filters: Filters) => void,
): void =>
  useCommands(
    values.map(({ label, field, filters }) => ({
      label,
      run: () => filter(field, filters),
      isTool: true,
      isSearchOnly: true,
    })),
  );
