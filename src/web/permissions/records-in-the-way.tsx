import type { SelectedRecordsJson } from "../../core/wire/why.ts";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { recordAddress } from "../routing/routes.ts";
import { Link } from "../ui/link.tsx";
import "./permissions.css";

/** The records that a rule found, such as the loan of a thing that is lent already, as links. */
export const RecordsInTheWay = ({ entity, items, more }: SelectedRecordsJson) => {
  const { screens } = useApplication();
  const { say } = useWords();
  return (
    <ul className="why-records" aria-label={say("why.records")}>
      {items.map(({ id, label }) => {
        const to = recordAddress(screens, entity, id);
        return (
          <li key={id}>
            {to === null ? (
              <bdi>{label}</bdi>
            ) : (
              <Link className="link" href={to}>
                <bdi>{label}</bdi>
              </Link>
            )}
          </li>
        );
      })}
      {more > 0 && <li>{say("bulk.left.more", { count: more })}</li>}
    </ul>
  );
};
