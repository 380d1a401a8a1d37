import { useState } from "react";
import type { ImportColumnSettings, ImportJson, ImportSettings } from "../../../core/wire/imports.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { Icon } from "../../ui/icon.tsx";

interface MatchProps {
  readonly job: ImportJson;
  readonly isBusy: boolean;
  readonly onCheck: (settings: ImportSettings) => void;
  readonly onAnother: () => void;
}

const hasDays = (type: string | undefined): boolean => type === "date" || type === "datetime";
const hasDecimals = (type: string | undefined): boolean => type === "integer" || type === "decimal" || type === "money";

const orders = ["dmy", "mdy", "ymd"] as const;
const orderTitles = { dmy: "import.map.days.dmy", mdy: "import.map.days.mdy", ymd: "import.map.days.ymd" } as const;

/** The type of the field that a column fills or by which rows are matched; undefined if the column has no effect. */
const findType = (fields: ImportJson["fields"], match: readonly string[], name: string | null) =>
  fields.find((field) => field.name === name && (field.fills || match.includes(field.name)))?.type;

/** True if the values of a column can be read in two ways, and nobody has chosen one. */
const isUndecided = (
  { days, decimal }: ImportJson["columns"][number],
  type: string | undefined,
  chosen: ImportColumnSettings | undefined,
): boolean =>
  (hasDays(type) && days === "ask" && chosen?.days == null) ||
  (hasDecimals(type) && decimal === "ask" && chosen?.decimal == null);

interface SelectProps {
  readonly label: string;
  /** True if an answer is missing. */
  readonly isOpen?: boolean;
  readonly value: string;
  /** The option without a value. */
  readonly none: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChoose: (value: string) => void;
}

const Select = ({ label, isOpen = false, value, none, options, onChoose }: SelectProps) => (
  <span className={isOpen ? "box select import-open" : "box select"}>
    <select
      aria-label={label}
      aria-invalid={isOpen || undefined}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">{none}</option>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
    <Icon name="down" />
  </span>
);

interface ColumnRowProps {
  readonly column: ImportJson["columns"][number];
  readonly chosen: ImportColumnSettings;
  /** The type of its values; undefined if it has no effect. */
  readonly type: string | undefined;
  readonly fields: ImportJson["fields"];
  readonly onChange: (to: Partial<ImportColumnSettings>) => void;
}

/** One column of the file: its field, and the order of its dates or its decimal sign if that is not clear. */
const ColumnRow = ({ column, chosen, type, fields, onChange }: ColumnRowProps) => {
  const { say } = useWords();
  const { header, samples, days, decimal } = column;
  return (
    <tr data-left={chosen.field === null || undefined}>
      <th scope="row">
        <bdi>{header}</bdi>
      </th>
      <td className="import-samples" title={samples.join("\n")}>
        <bdi>{samples.join(" · ")}</bdi>
      </td>
      <td>
        <Select
          label={say("import.map.fieldOf", { header })}
          value={chosen.field ?? ""}
          none={say("import.map.leave")}
          options={fields.map(({ name, title }) => [name, title])}
          onChoose={(field) => onChange({ field: field || null })}
        />
        {hasDays(type) && (days === "ask" || days === "mixed") && (
          <Select
            label={say("import.map.days", { header })}
            isOpen={days === "ask" && chosen.days == null}
            value={chosen.days ?? ""}
            none={say("import.map.days.ask")}
            options={orders.map((order) => [order, say(orderTitles[order])])}
            onChoose={(order) => onChange({ days: orders.find((one) => one === order) ?? null })}
          />
        )}
        {hasDecimals(type) && (decimal === "ask" || decimal === "mixed") && (
          <Select
            label={say("import.map.decimal", { header })}
            isOpen={decimal === "ask" && chosen.decimal == null}
            value={chosen.decimal ?? ""}
            none={say("import.map.decimal.ask")}
            options={[
              [".", say("import.map.decimal.point")],
              [",", say("import.map.decimal.comma")],
            ]}
            onChoose={(sign) => onChange({ decimal: sign === "." || sign === "," ? sign : null })}
          />
        )}
      </td>
    </tr>
  );
};

/** The fields that the columns fill, and how values are read that could be read in two ways. */
export const MatchColumns = ({ job, isBusy, onCheck, onAnother }: MatchProps) => {
  const { say, show } = useWords();
  const [columns, setColumns] = useState<readonly ImportColumnSettings[]>(job.settings.columns);
  const [match, setMatch] = useState<readonly string[]>(job.settings.match);
  const change = (at: number, to: Partial<ImportColumnSettings>) =>
    setColumns(
      columns.map((one, index) => {
        if (index === at) return { ...one, ...to };
        // A field takes one column.
        return to.field != null && one.field === to.field ? { ...one, field: null } : one;
      }),
    );
  const filled = new Set(columns.map(({ field }) => field));
  const missing = job.fields.filter(({ name, required }) => required && !filled.has(name));
  const matchable = job.fields.filter(({ name, matches }) => matches && filled.has(name));
  const chosenMatch = match.filter((name) => matchable.some((field) => field.name === name));
  const typeAt = (at: number) => findType(job.fields, chosenMatch, columns[at]?.field ?? null);
  const open = job.columns.filter((column, at) => isUndecided(column, typeAt(at), columns[at])).length;
  return (
    <form
      className="dialog-form import-match"
      onSubmit={(event) => {
        event.preventDefault();
        if (open === 0 && filled.size > 0 && !isBusy) onCheck({ columns, match: chosenMatch, mode: job.settings.mode });
      }}
    >
      <table className="import-columns">
        <caption className="hidden-words">{say("import.map.title", { file: job.file })}</caption>
        <thead>
          <tr>
            <th scope="col">{say("import.map.column")}</th>
            <th scope="col">{say("import.map.samples")}</th>
            <th scope="col">{say("import.map.field")}</th>
          </tr>
        </thead>
        <tbody>
          {job.columns.map((column, at) => (
            <ColumnRow
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have one header, and none moves
              key={at}
              column={column}
              chosen={columns[at] ?? { field: null }}
              type={typeAt(at)}
              fields={job.fields}
              onChange={(to) => change(at, to)}
            />
          ))}
        </tbody>
      </table>
      {missing.length > 0 && (
        <p className="import-missing">
          <Icon name="alert" />
          <span>
            {say("import.map.missing", {
              fields: show.list(missing.map(({ title }) => say("quoted", { words: title }))),
            })}
          </span>
        </p>
      )}
      {matchable.length > 0 && (
        <fieldset className="import-by">
          <legend>{say("import.map.match")}</legend>
          <p className="small-words">{say("import.map.match.hint")}</p>
          <div className="import-by-fields">
            <span>{say("import.map.match.by")}</span>
            {matchable.map(({ name, title }) => (
              <CheckBox
                key={name}
                checked={chosenMatch.includes(name)}
                onTurn={(on) => setMatch(on ? [...chosenMatch, name] : chosenMatch.filter((one) => one !== name))}
              >
                {title}
              </CheckBox>
            ))}
          </div>
        </fieldset>
      )}
      {job.remarks.length > 0 && (
        <details>
          <summary>{say("import.map.left", { count: job.remarks.length })}</summary>
          <ul className="small-words">
            {job.remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        </details>
      )}
      <footer className="dialog-foot">
        <Button look="primary" type="submit" busy={isBusy} aria-disabled={open > 0 || undefined}>
          {say("import.check", { rows: job.rows })}
        </Button>
        <Button look="quiet" onClick={onAnother}>
          {say("import.another")}
        </Button>
      </footer>
    </form>
  );
};
