import {
  isPeriodName,
  type NamedPeriod,
  namedPeriods,
  type PeriodName,
  parseDaysPeriod,
  periodDays,
} from "../../../core/expression/values/periods.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { useLocale } from "../../app/app-context.tsx";
import { addDays } from "../../format/dates.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { endField } from "./range-ends.ts";

const periodWords = {
  yesterday: "list.filter.yesterday",
  today: "list.filter.today",
  tomorrow: "list.filter.tomorrow",
  last_week: "list.filter.last.week",
  this_week: "list.filter.week",
  next_week: "list.filter.next.week",
  last_month: "list.filter.last.month",
  this_month: "list.filter.month",
  next_month: "list.filter.next.month",
  last_quarter: "list.filter.last.quarter",
  this_quarter: "list.filter.quarter",
  next_quarter: "list.filter.next.quarter",
  last_year: "list.filter.last.year",
  this_year: "list.filter.year",
  next_year: "list.filter.next.year",
  past: "list.filter.past",
  future: "list.filter.future",
  overdue: "list.filter.overdue",
} as const satisfies Record<NamedPeriod, WordId>;

const dayWords = { last: "list.filter.last.days", next: "list.filter.next.days" } as const;

/** "Last month" */
export const sayPeriod = ({ say }: Pick<Words, "say">, name: NamedPeriod): string => say(periodWords[name]);

/** "Last month", "Last 7 days". The address can contain any text; one that is no period is shown as it is. */
export const usePeriodName = () => {
  const words = useWords();
  return (name: string): string => {
    const days = parseDaysPeriod(name);
    if (days !== null) return words.say(dayWords[days.direction], { count: days.count });
    const named = namedPeriods.find((one) => one === name);
    return named === undefined ? name : sayPeriod(words, named);
  };
};

/** The days of a period in words, as seen today: "1 – 30 Nov". Null if it is not one of whole days. */
export const usePeriodDays = (field: FieldJson) => {
  const { say, show } = useWords();
  const { today } = useLocale();
  const isOpen = (name: PeriodName) => name === "past" || name === "future" || name === "overdue";
  return (name: string): string | null => {
    if (!isPeriodName(name) || (field.type === "datetime" && isOpen(name))) return null;
    const { from, before } = periodDays(name, today);
    const words = (day: string): string => show.value(endField(field), day) ?? day;
    const last = before === null ? null : addDays(before, -1);
    if (from === null) return last === null ? null : say("list.filter.to", { to: words(last) });
    if (last === null) return say("list.filter.from", { from: words(from) });
    return show.shortDays(from, last);
  };
};

/** The days of a period in short: "1 – 31 Oct", "30 Nov". Null if it has no first or no last day. */
export const useShortPeriodDays = () => {
  const { show } = useWords();
  const { today } = useLocale();
  return (name: string): string | null => {
    if (!isPeriodName(name)) return null;
    const { from, before } = periodDays(name, today);
    return from === null || before === null ? null : show.shortDays(from, addDays(before, -1));
  };
};
