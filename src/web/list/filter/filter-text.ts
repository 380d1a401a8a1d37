import { useQueries } from "@tanstack/react-query";
import type { Filters } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson, StateJson } from "../../../core/wire/entities.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient, useLocale } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { splitStates } from "../../workflow/workflow.ts";
import { usePeriodName, useShortPeriodDays } from "./period-text.ts";
import { endField, rangeEnds } from "./range-ends.ts";

/**
 * "Status: Asked, Lent", "Status: Open", "Due day: 1 – 31 Dec", "Due day: Next month (1 – 31 Dec)". Labels of
 * references are passed by the caller.
 */
export const useFilterWords = (entity: EntityJson | undefined) => {
  const { say, show } = useWords();
  const context = useLocale();
  const periodName = usePeriodName();
  const daysOf = useShortPeriodDays();
  /** The address can contain any text. Text that is not a value of the field is shown as it is. */
  const written = (field: FieldJson, value: string, unit: boolean): string => {
    try {
      return show.value(field, value, unit) ?? value;
    } catch {
      return value;
    }
  };
  /** The days in short, as those of a period; null if the text of the address is none. */
  const shortDays = (from: string, to: string): string | null => {
    try {
      return show.shortDays(from, to);
    } catch {
      return null;
    }
  };
  /** All open states, or all others, in one word, unless a state has that name. */
  const groupOfStates = (field: FieldJson, values: readonly string[]): string | null => {
    if (field.type !== "state" || values.length < 2) return null;
    const { open, ended } = splitStates(entity?.states);
    const isGroup = (group: readonly StateJson[]) =>
      group.length === values.length && group.every(({ name }) => values.includes(name));
    const words = isGroup(open) ? say("list.filter.open") : isGroup(ended) ? say("list.filter.ended") : null;
    return [...open, ...ended].some(({ label }) => label === words) ? null : words;
  };
  return (field: FieldJson, filters: Filters, named?: readonly string[]): string => {
    const values = filters[field.name] ?? [];
    const group = groupOfStates(field, values);
    const words = (group === null ? (named ?? values) : []).map((value) => {
      if (value === "") return say("value.none");
      if (field.type === "boolean") return show.boolean(value === "true");
      return written(field, value, true);
    });
    if (group !== null) words.push(group);
    const { from, to } = rangeEnds(field, filters, context);
    const end = (value: string) => written(endField(field), value, false);
    const days = from !== null && to !== null && endField(field).type === "date" ? shortDays(from, to) : null;
    if (days !== null) words.push(days);
    else if (from !== null && to !== null)
      words.push(from === to ? end(from) : say("list.filter.span", { from: end(from), to: end(to) }));
    else if (from !== null) words.push(say("list.filter.from", { from: end(from) }));
    else if (to !== null) words.push(say("list.filter.to", { to: end(to) }));
    for (const name of filters[`${field.name}@`] ?? []) {
      const [period, days] = [periodName(name), daysOf(name)];
      words.push(days === null ? period : say("list.filter.period", { period, days }));
    }
    for (const typed of filters[`${field.name}~`] ?? []) words.push(say("list.filter.holds", { words: typed }));
    return say("list.filter", { field: field.label, values: words.join(", ") });
  };
};

/** Labels of the records in a filter; the address contains only ids. */
export const useLabels = (field: FieldJson, ids: readonly string[]): readonly string[] => {
  const { calls } = useClient();
  const { entities } = useApplication();
  const path = field.type === "reference" ? entities[field.entity ?? ""]?.calls : undefined;
  const records = useQueries({
    queries: path
      ? ids.map((id) => ({
          enabled: id !== "",
          queryKey: keys.record(path, id),
          queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
          staleTime: 60_000,
        }))
      : [],
  });
  return path ? ids.map((id, at) => (id === "" ? "" : (records[at]?.data?._label ?? "…"))) : ids;
};
