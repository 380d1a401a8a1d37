import { type ReactNode, useId } from "react";
import { BesideProvider, besideOf } from "../field/control/sibling-values.tsx";
import { fields } from "../field/fields.ts";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { type CellProps, mendsAt, mendsId, PartCell } from "./part-cell.tsx";
import { Mend } from "./part-error.tsx";

export const headings = ["h2", "h3", "h4", "h5", "h6"] as const;

export interface RowProps extends CellProps {
  /** Id of the parent record; null while it is being created. */
  readonly whole: string | null;
  /** Row numbers from the outermost list inwards, from 1. */
  readonly rows: readonly number[];
  readonly onTake: () => void;
  /** The drag handle; null if order is not stored. */
  readonly handle: ReactNode;
  /** The lists of the row's own parts. */
  readonly below: ReactNode;
}

const besideRow = ({ list, row, whole, here }: RowProps) =>
  besideOf(list.columns, row.entered, row.record?.id ?? null, here, { [list.parts.by]: whole ?? "" });

export const TableRow = (props: RowProps) => {
  const { list, row, rows, number, onTake, handle, below } = props;
  const { say } = useWords();
  const own = row.toMend.filter((one) => one.field === null);
  // Errors are shown below the row, since a cell has no room for text.
  const told = list.columns.filter((field) => mendsAt(row, field).length > 0);
  const mended = own.length > 0 || told.length > 0;
  const looks = [own.length > 0 && "bad", (mended || row.lists.length > 0) && "part-goes-on"];
  return (
    <BesideProvider value={besideRow(props)}>
      <tbody data-row={rows.join(".")}>
        <tr className={looks.filter(Boolean).join(" ") || undefined}>
          <th scope="row" className="part-number">
            <span className="figures">{number}</span>
            {handle}
          </th>
          {list.columns.map((field) => (
            <td key={field.name} className={fields[field.type].end ? "end" : undefined}>
              <PartCell {...props} field={field} />
            </td>
          ))}
          <td className="part-actions">
            {row.removable && (
              <IconButton small icon="delete" label={say("parts.remove", { row: number })} onClick={onTake} />
            )}
          </td>
        </tr>
        {mended && (
          <tr className="part-mends">
            <td colSpan={list.columns.length + 2}>
              {own.map((one) => (
                <Mend key={one.kind === "refused" ? one.message : ""} one={one} field={undefined} list={list} />
              ))}
              {told.map((field) => (
                <div key={field.name} id={mendsId(list, row, field.name)}>
                  {mendsAt(row, field).map((one) => (
                    <Mend
                      key={one.kind === "refused" ? one.message : "unreadable"}
                      one={one}
                      field={field}
                      list={list}
                    />
                  ))}
                </div>
              ))}
            </td>
          </tr>
        )}
        {row.lists.length > 0 && (
          <tr className="part-below">
            <td colSpan={list.columns.length + 2}>{below}</td>
          </tr>
        )}
      </tbody>
    </BesideProvider>
  );
};

export const Card = (props: RowProps) => {
  const { list, row, rows, number, onTake, handle, below } = props;
  const { say } = useWords();
  const own = row.toMend.filter((one) => one.field === null);
  const headId = useId();
  const Heading = headings[rows.length * 2 - 1] ?? "h6";
  return (
    <BesideProvider value={besideRow(props)}>
      <li className="part-card" data-row={rows.join(".")} aria-labelledby={headId}>
        <header>
          <Heading id={headId}>{say("parts.row", { thing: list.part.one, row: number })}</Heading>
          <span className="grow" />
          {handle}
          {row.removable && (
            <IconButton small icon="delete" label={say("parts.remove", { row: number })} onClick={onTake} />
          )}
        </header>
        {own.map((one) => (
          <Mend key={one.kind === "refused" ? one.message : ""} one={one} field={undefined} list={list} />
        ))}
        <div className="part-fields">
          {list.columns.map((field, i) => (
            <div key={field.name} className={i === 0 || fields[field.type].wide ? "wide" : undefined}>
              <span className="part-label" aria-hidden="true">
                {field.label}
              </span>
              <PartCell {...props} field={field} told />
            </div>
          ))}
        </div>
        {below}
      </li>
    </BesideProvider>
  );
};
