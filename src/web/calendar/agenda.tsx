import { useEffect, useRef } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { RecordCard } from "../list/record-card.tsx";
import { listColumns } from "../list/table/column-widths.ts";
import { recordAddress } from "../routing/routes.ts";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { findState } from "../workflow/workflow.ts";
import type { CreateAt } from "./create-at.ts";
import { buildAgenda, type CalendarEntry } from "./entry-layout.ts";

/** Content of a calendar in any of its forms. */
export interface DrawnProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly entries: readonly CalendarEntry[];
}

/** Content of a calendar whose days may have a create button. */
export interface DrawnDaysProps extends DrawnProps {
  /** Null if records cannot be created here. */
  readonly makeAt: CreateAt | null;
}

/** Entries as short records, one below the other. */
export const EntryList = ({ screen, entity, entries }: DrawnProps) => {
  const { screens } = useApplication();
  const columns = listColumns(screen, entity).filter(({ type }) => type !== "state");
  return (
    <ul>
      {entries.map(({ record }) => {
        const state = findState(entity, record);
        return (
          <li key={record.id} className="month-entry">
            <RecordCard
              entity={entity}
              columns={columns}
              record={record}
              address={recordAddress(screens, entity.name, record.id)}
            />
            {state && <StateWord state={state} />}
          </li>
        );
      })}
    </ul>
  );
};

/** Days with entries, and today, one below the other. */
export const Agenda = ({
  screen,
  entity,
  entries,
  span,
  at,
  pending,
  empty,
}: DrawnProps & {
  span: { readonly from: string; readonly to: string };
  /** The day in the address. */
  at: string;
  pending: boolean;
  empty: string;
}) => {
  const { navigation } = useClient();
  const { today } = useLocale();
  const { say, show } = useWords();
  const days = buildAgenda(entries, span, today);
  const list = useRef<HTMLOListElement>(null);
  const hasEntries = entries.length > 0;
  // Scrolls to upcoming days; past ones are above.
  useEffect(() => {
    if (!hasEntries || at !== today || navigation.scrolled() !== null) return;
    const day = list.current?.querySelector("[aria-current]")?.closest("li");
    if (day && day.getBoundingClientRect().bottom > window.innerHeight) day.scrollIntoView({ block: "start" });
  }, [hasEntries, at, today, navigation]);
  if (!hasEntries && pending)
    return (
      <div className="agenda skeleton" aria-busy="true">
        <p className="hidden-words">{say("loading")}</p>
        {["46%", "58%", "40%"].map((width) => (
          <div key={width} className="month-entry">
            <SkeletonLine width={width} />
            <SkeletonLine width="64px" />
          </div>
        ))}
      </div>
    );
  if (!hasEntries) return <p className="agenda-empty">{empty}</p>;
  return (
    <ol ref={list} className="agenda">
      {days.map(({ day, entries: on }) => (
        <li key={day}>
          <h3 aria-current={day === today ? "date" : undefined}>
            {day === today ? say("calendar.today", { day: show.fullDate(day) }) : show.fullDate(day)}
          </h3>
          {on.length === 0 ? (
            <p className="agenda-nothing">{say("calendar.today.nothing")}</p>
          ) : (
            <EntryList screen={screen} entity={entity} entries={on} />
          )}
        </li>
      ))}
    </ol>
  );
};
