import { type ReactNode, useId } from "react";
import { SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { fields } from "../field/fields.ts";
import { getSiblingsOfRow } from "../field/siblings-of-form.ts";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { FieldErrors } from "./field-errors.tsx";
import { type CellProps, cellErrorsId, PartCell } from "./part-cell.tsx";
import type { FormRow } from "./state/form-node.ts";
import { findErrors } from "./state/send-form.ts";

export const headings = ["h2", "h3", "h4", "h5", "h6"] as const;

export interface RowProps extends CellProps {
  /** Id of the parent record; null while it is being created. */
  readonly parentId: string | null;
  /** Row numbers from the outermost list inwards, from 1. */
  readonly rows: readonly number[];
  readonly onTake: () => void;
  /** The drag handle; null if order is not stored. */
  readonly handle: ReactNode;
  /** The lists of the row's own parts. */
  readonly below: ReactNode;
}

/** Errors of the row as a whole. */
const rowErrors = ({ errors }: FormRow) => errors.filter(({ field }) => field === null);

const besideRow = ({ list, row, parentId, context }: RowProps) =>
  getSiblingsOfRow(list.columns, row, row.record?.id ?? null, context, { [list.parts.by]: parentId ?? "" });

export const TableRow = (props: RowProps) => {
  const { list, row, path, rows, number, onTake, handle, below } = props;
  const { say } = useWords();
  const own = rowErrors(row);
  // Errors are shown below the row, since a cell has no room for text.
  const failing = list.columns.filter((field) => findErrors(row, field.name).length > 0);
  const hasErrors = own.length > 0 || failing.length > 0;
  const looks = [own.length > 0 && "bad", (hasErrors || row.lists.length > 0) && "part-goes-on"];
  return (
    <SiblingValuesProvider value={besideRow(props)}>
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
        {hasErrors && (
          <tr className="part-mends">
            <td colSpan={list.columns.length + 2}>
              <FieldErrors errors={own} />
              {failing.map((field) => (
                <FieldErrors
                  key={field.name}
                  errors={findErrors(row, field.name)}
                  field={field}
                  id={cellErrorsId(path, field.name)}
                />
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
    </SiblingValuesProvider>
  );
};

export const Card = (props: RowProps) => {
  const { list, row, rows, number, onTake, handle, below } = props;
  const { say } = useWords();
  const own = rowErrors(row);
  const headId = useId();
  const Heading = headings[rows.length * 2 - 1] ?? "h6";
  return (
    <SiblingValuesProvider value={besideRow(props)}>
      <li className="part-card" data-row={rows.join(".")} aria-labelledby={headId}>
        <header>
          <Heading id={headId}>{say("parts.row", { thing: list.part.one, row: number })}</Heading>
          <span className="grow" />
          {handle}
          {row.removable && (
            <IconButton small icon="delete" label={say("parts.remove", { row: number })} onClick={onTake} />
          )}
        </header>
        <FieldErrors errors={own} />
        <div className="part-fields">
          {list.columns.map((field, i) => (
            <div key={field.name} className={i === 0 || fields[field.type].wide ? "wide" : undefined}>
              <span className="part-label" aria-hidden="true">
                {field.label}
                {field.optional && row.fields.includes(field) && (
                  <span className="aside-words">{say("form.optional")}</span>
                )}
              </span>
              <PartCell {...props} field={field} showsErrors />
            </div>
          ))}
        </div>
        {below}
      </li>
    </SiblingValuesProvider>
  );
};
