import { useMemo } from "react";
import { type Filters, offersPeriods } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import { useCommands } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { listPeriods } from "./list-periods.ts";
import { sayPeriod } from "./period-text.ts";

/** Lets the palette find the periods of a list's dates: “last month” finds “Ordered on: Last month”. */
export const usePeriodCommands = (entity: EntityJson, filter: (field: FieldJson, filters: Filters) => void): void => {
  const words = useWords();
  const periods = useMemo(
    () =>
      entity.fields.filter(offersPeriods).flatMap((field) =>
        listPeriods(field).map((name) => ({
          field,
          filters: { [`${field.name}@`]: [name] },
          label: words.say("label.value", { label: field.label, value: sayPeriod(words, name) }),
        })),
      ),
    [entity, words],
  );
  useCommands(
    periods.map(({ label, field, filters }) => ({
      label,
      run: () => filter(field, filters),
      isTool: true,
      isSearchOnly: true,
    })),
  );
};
