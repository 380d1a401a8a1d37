import type { EntityJson, ListScreenJson } from "../../core/wire.ts";
import { agendaOf, type Entry } from "../client/agenda.ts";
import { columnsOf } from "../client/columns.ts";
import { recordAddress } from "../client/routes.ts";
import { stateOf } from "../client/standing.ts";
import { useApplication, useHere } from "../part/context.tsx";
import { StateWord } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";
import { RecordCard } from "./record-card.tsx";

/** What a calendar draws, in whichever form. */
export interface DrawnProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly entries: readonly Entry[];
}

/** Entries in the words of cards, one below the other. */
export const Entries = ({ screen, entity, entries }: DrawnProps) => {
  const { screens } = useApplication();
  const columns = columnsOf(screen, entity).filter(({ type }) => type !== "state");
  return (
    <ul>
      {entries.map(({ record }) => {
        const state = stateOf(entity, record);
        return (
          <li key={record.id} className="month-entry">
            <RecordCard columns={columns} record={record} address={recordAddress(screens, entity.name, record.id)} />
            {state && <StateWord state={state} />}
          </li>
        );
      })}
    </ul>
  );
};

/** Day after day, those that hold something. */
export const Agenda = ({
  screen,
  entity,
  entries,
  span,
  pending,
  empty,
}: DrawnProps & { span: { readonly from: string; readonly to: string }; pending: boolean; empty: string }) => {
  const { today } = useHere();
  const { show } = useWords();
  const days = agendaOf(entries, span);
  if (days.length === 0) return <p className="agenda-empty">{pending ? "" : empty}</p>;
  return (
    <ol className="agenda">
      {days.map(({ day, entries: on }) => (
        <li key={day}>
          <h3 aria-current={day === today ? "date" : undefined}>{show.fullDate(day)}</h3>
          <Entries screen={screen} entity={entity} entries={on} />
        </li>
      ))}
    </ol>
  );
};
