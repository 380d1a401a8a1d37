import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApprovalWords } from "../field/approval-count.tsx";
import { NamedWithComments, useCommentWords } from "../field/comment-count.tsx";
import { fields } from "../field/fields.ts";
import { useShortTexts } from "../field/short-texts.ts";
import { splitTitle } from "../format/record-summary.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Link } from "../ui/link.tsx";
import { findPerson } from "./table/compact-rows.tsx";

/**
 * A short form of a record: the column that names it, then the next three, with numbers at the end, and always the fields by
 * which the records are filtered or sorted.
 */
export const RecordCard = ({
  entity,
  columns,
  acting = [],
  record,
  address,
}: {
  entity: EntityJson;
  columns: readonly FieldJson[];
  /** Fields that are no columns, by which the records are filtered or sorted. */
  acting?: readonly FieldJson[];
  record: RecordJson;
  address: string | null;
}) => {
  const { show } = useWords();
  const words = useShortTexts(entity);
  const approval = useApprovalWords()(entity, record);
  const comments = useCommentWords(record);
  const { title, rest } = splitTitle(columns);
  const name = (title ? show.value(title, getValue(record, title.name)) : null) ?? record._label ?? "";
  // The number of a series comes in addition.
  const all = words(rest, record);
  const first = all.slice(0, title === columns[0] ? 3 : 4);
  // An overdue deadline takes the place of a later text.
  const overdue = all.find(({ late }) => late);
  const details = overdue === undefined || first.includes(overdue) ? first : [...first.slice(0, -1), overdue];
  const isFigure = ({ field }: { readonly field: FieldJson }) => fields[field.type].end;
  // An amount says more than a further text, even if its column comes late.
  const figure = details.findLast(isFigure) ?? all.find(isFigure);
  const lines = [...details.filter((detail) => detail !== figure), ...words(acting, record)];
  const person = title ? findPerson(title, record) : null;
  const number = figure?.shown ?? null;
  return (
    <div className="card-words">
      <p className="card-title">
        {person !== null && <Avatar name={name} of={person} />}
        {address === null ? (
          <NamedWithComments record={record}>
            <b className="cut">
              <bdi>{name}</bdi>
            </b>
          </NamedWithComments>
        ) : (
          <Link
            className="row-link cut"
            href={address}
            data-row={record.id}
            title={record._label}
            draggable={false}
            aria-description={comments ?? undefined}
          >
            <NamedWithComments record={record}>
              <bdi>{name}</bdi>
            </NamedWithComments>
          </Link>
        )}
      </p>
      {lines.map(({ field, shown, late, over }) => {
        const personId = findPerson(field, record);
        return (
          <p key={field.name} className="card-line">
            {personId !== null && <Avatar name={show.value(field, getValue(record, field.name)) ?? ""} of={personId} />}
            <bdi className={late ? "cut overdue" : over ? "cut over" : "cut"}>{shown}</bdi>
          </p>
        );
      })}
      {approval !== null && (
        <p className="card-line" title={approval.sentence}>
          {approval.named}
        </p>
      )}
      {number !== null && <p className="card-figure figures">{number}</p>}
    </div>
  );
};
