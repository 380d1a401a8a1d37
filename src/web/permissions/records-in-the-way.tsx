import type { SelectedRecordsJson } from "../../core/wire/why.ts";
import { useWords } from "../i18n/words.tsx";
import { RecordLink } from "../ui/record-link.tsx";
import "./permissions.css";

/** The records that a rule found, such as the loan of a thing that is lent already, as links. */
export const RecordsInTheWay = ({ entity, items, more }: SelectedRecordsJson) => {
  const { say } = useWords();
  return (
    <ul className="why-records" aria-label={say("why.records")}>
      {items.map(({ id, label }) => (
        <li key={id}>
          <RecordLink entity={entity} id={id} label={label} />
        </li>
      ))}
      {more > 0 && <li>{say("bulk.left.more", { count: more })}</li>}
    </ul>
  );
};
