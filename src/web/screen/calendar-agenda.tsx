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

/** An entry in the words of a card. */
export const EntryLine = ({
  entry,
  entity,
  screen,
  address,
}: {
  entry: Entry;
  entity: EntityJson;
  screen: ListScreenJson;
  address: string | null;
}) => {
  const state = stateOf(entity, entry.record);
  return (
    <>
      <RecordCard
        columns={columnsOf(screen, entity).filter(({ type }) => type !== "state")}
        record={entry.record}
        address={address}
      />
      {state && <StateWord state={state} />}
    </>
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
  const { screens } = useApplication();
  const { today } = useHere();
  const { show } = useWords();
  const days = agendaOf(entries, span);
  if (days.length === 0) return <p className="agenda-empty">{pending ? "" : empty}</p>;
  return (
    <ol className="agenda">
      {days.map(({ day, entries: on }) => (
        <li key={day}>
          <h3 aria-current={day === today ? "date" : undefined}>{show.fullDate(day)}</h3>
          <ul>
            {on.map((entry) => (
              <li key={entry.record.id} className="month-entry">
                <EntryLine
                  entry={entry}
                  entity={entity}
                  screen={screen}
                  address={recordAddress(screens, entity.name, entry.record.id)}
                />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
};
