import type { FieldJson, RecordJson } from "../../core/wire.ts";
import { valueIn } from "../client/values.ts";
import { fields } from "../field/fields.ts";
import { Avatar } from "../part/avatar.tsx";
import { Link } from "../part/link.tsx";
import { useWords } from "../words/words.tsx";
import { personIn, useShortly } from "./list-rows.tsx";

/** A record in few words: what the first column says, then the next three, figures at the end. */
export const RecordCard = ({
  columns,
  record,
  address,
}: {
  columns: readonly FieldJson[];
  record: RecordJson;
  address: string | null;
}) => {
  const { show } = useWords();
  const shortly = useShortly();
  const [title, ...rest] = columns;
  const few = rest.slice(0, 3);
  const name = (title ? show.value(title, valueIn(record, title.name)) : null) ?? record._label ?? "";
  const figure = few.findLast((field) => fields[field.type].end);
  const lines: { key: string; shown: string; who: string | null; short: boolean }[] = [];
  for (const field of few) {
    const shown = field === figure ? null : shortly(field, valueIn(record, field.name));
    if (shown === null) continue;
    const short = field.type === "date" || field.type === "time";
    const last = lines.at(-1);
    // Two days make one line.
    if (short && last?.short) last.shown = `${last.shown} · ${shown}`;
    else lines.push({ key: field.name, shown, who: personIn(field, record), short });
  }
  const person = title ? personIn(title, record) : null;
  const number = figure ? shortly(figure, valueIn(record, figure.name)) : null;
  return (
    <div className="card-words">
      <p className="card-title">
        {person !== null && <Avatar name={name} of={person} />}
        {address === null ? (
          <b className="cut">
            <bdi>{name}</bdi>
          </b>
        ) : (
          <Link className="row-link cut" href={address} data-row={record.id} title={record._label} draggable={false}>
            <bdi>{name}</bdi>
          </Link>
        )}
      </p>
      {lines.map(({ key, shown, who }) => (
        <p key={key} className="card-line figures">
          {who !== null && <Avatar name={shown} of={who} />}
          <bdi className="cut">{shown}</bdi>
        </p>
      ))}
      {number !== null && <p className="card-figure figures">{number}</p>}
    </div>
  );
};
