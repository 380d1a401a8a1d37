import { type NamedPeriod, namedPeriods } from "../../../core/expression/values/periods.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";

/** The named periods by which a field can be filtered. Of a time that never lies ahead, “past” leaves nothing out. */
export const listPeriods = ({ deadline, past }: Pick<FieldJson, "deadline" | "past">): readonly NamedPeriod[] =>
  namedPeriods.filter(
    (name) =>
      (name !== "overdue" || deadline !== undefined) && (past === undefined || !(liesAhead(name) || name === "past")),
  );

const liesAhead = (name: NamedPeriod): boolean => name === "tomorrow" || name === "future" || name.startsWith("next_");
