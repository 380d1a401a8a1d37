import type { ReactNode } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication, useLocale } from "../app/app-context.tsx";
import { findPartialApproval } from "../format/approval-progress.ts";
import { type DeadlineDistance, findDeadline, isDeadlineOver } from "../format/deadline.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { Dotted } from "../ui/dotted.tsx";
import { useNow } from "../ui/relative-time.tsx";
import { ApprovalCount, findEntityOfField } from "./approval-count.tsx";
import { FieldValue } from "./field-value.tsx";

/** A deadline in words: "3 weeks overdue", "tomorrow". */
export interface DeadlineWords {
  readonly words: string;
  readonly late: boolean;
  /** With the name of the field: "Due in 3 days" for “Due on”, "Due day: in 3 days". */
  readonly named: string;
}

/** Words for deadlines that are near or past; null for other fields and dates. */
export const useDeadlineWords = () => {
  const { say, show, locale } = useWords();
  const here = useLocale();
  const describe = ({ late, count, unit }: DeadlineDistance, value: string): string => {
    if (!late) {
      const relative = new Intl.RelativeTimeFormat(locale, { numeric: unit === "days" ? "auto" : "always" });
      const words = relative.format(count, unit);
      // Tomorrow is near enough to plan by the hour.
      return unit === "days" && count <= 1 && value.length > 10 ? `${words}, ${show.time(value)}` : words;
    }
    switch (unit) {
      case "minutes":
        return say("deadline.minutes", { count });
      case "hours":
        return say("deadline.hours", { count });
      case "days":
        return say("deadline.days", { count });
      case "weeks":
        return say("deadline.weeks", { count });
      case "months":
        return say("deadline.months", { count });
    }
  };
  return (field: FieldJson, record: RecordJson, now: number): DeadlineWords | null => {
    const distance = findDeadline(field, record, here, now);
    if (distance === null) return null;
    const words = describe(distance, String(getValue(record, field.name)));
    const { label } = field;
    const named = say("deadline.named", { label, begin: label.replace(/\s+\S+$/u, ""), words });
    return { words, late: distance.late, named };
  };
};

interface RecordValueProps {
  readonly field: FieldJson;
  readonly record: RecordJson;
  readonly cell?: boolean;
}

/**
 * A field's value in its record: a deadline says how near it is, or how long it is overdue, and a state how many of the
 * people that it waits for have acted.
 */
export const RecordValue = ({ field, record, cell = false }: RecordValueProps) => {
  if (field.deadline !== undefined) return <Deadline field={field} record={record} cell={cell} />;
  const value = <FieldValue field={field} value={getValue(record, field.name)} cell={cell} />;
  return field.type === "state" ? (
    <StateOf field={field} record={record}>
      {value}
    </StateOf>
  ) : (
    value
  );
};

const StateOf = ({ field, record, children }: Omit<RecordValueProps, "cell"> & { readonly children: ReactNode }) => {
  const entity = findEntityOfField(field, useApplication().entities);
  if (entity === undefined || findPartialApproval(entity, record) === null) return children;
  return (
    <span className="state-approvals">
      {children}
      <ApprovalCount entity={entity} record={record} />
    </span>
  );
};

const Deadline = ({ field, record, cell }: Required<RecordValueProps>) => {
  const { show } = useWords();
  const value = getValue(record, field.name);
  const due = useDeadlineWords()(field, record, useNow());
  const absolute = show.value(field, value);
  if (due === null || absolute === null) {
    const date = <FieldValue field={field} value={value} cell={cell} />;
    return isDeadlineOver(field, record) ? <span className="over">{date}</span> : date;
  }
  const words = (
    <span className={due.late ? "overdue unbroken" : "unbroken"} title={absolute}>
      {due.words}
    </span>
  );
  return cell ? (
    <time className="figures cut" dateTime={String(value)}>
      {words}
      <span className="hidden-words">, {absolute}</span>
    </time>
  ) : (
    <span className="dotted">
      <Dotted at={0}>
        <FieldValue field={field} value={value} />
      </Dotted>
      <Dotted at={1}>{words}</Dotted>
    </span>
  );
};
