import { useEffect, useId, useState } from "react";
import { type Filters, offersPeriods } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import { useLocale } from "../../app/app-context.tsx";
import { isComposing } from "../../app/keyboard.ts";
import type { RecordOption } from "../../field/control/reference-candidates.ts";
import { useCandidates } from "../../field/control/use-candidates.ts";
import { inputs } from "../../field/inputs.ts";
import { useErrorWords } from "../../form/field-errors.tsx";
import type { Entered } from "../../format/input-value.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { focusFirst, type Popup, SheetFoot } from "../../ui/overlay/popup.tsx";
import { useReadFailureWords } from "../../ui/page/problem-note.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { splitStates } from "../../workflow/workflow.ts";
import { useLabels } from "./filter-text.ts";
import { PeriodPicker } from "./period-picker.tsx";
import { endField } from "./range-ends.ts";
import { readEnds, readRange } from "./range-filter.ts";

interface ControlProps {
  readonly field: FieldJson;
  readonly entity: EntityJson | undefined;
  /** The filters on this field. */
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly popup: Popup;
  /** The rows that the filters leave, in words; undefined if they are not counted. */
  readonly result: string | undefined;
}

/**
 * A control for the field's type: checkboxes for a few values, search for references, and two ends for ordered types.
 */
const FilterControl = (props: ControlProps) => {
  const { say, show } = useWords();
  const { field, entity, filters, onChange, popup, result } = props;
  // The control may be rendered after its panel.
  useEffect(() => focusFirst(popup.panel.current), [popup.panel]);
  const values = filters[field.name] ?? [];
  const choose = (next: readonly string[]) => onChange({ [field.name]: next });
  const shared = { values, onChange: choose, popup, result };
  if (field.filters === "range") return <Range {...props} />;
  if (field.filters === "words") return <Typed {...props} />;
  const none = field.optional && field.type !== "boolean" ? [{ value: "", label: say("value.none") }] : [];
  if (field.type === "reference") return <Searched {...shared} field={field} />;
  const options =
    field.type === "boolean"
      ? [true, false].map((value) => ({ value: String(value), label: show.boolean(value) }))
      : [...(field.values ?? []), ...none];
  return <Boxes {...shared} field={field} entity={entity} options={options} />;
};

interface ValuesProps {
  readonly field: FieldJson;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly popup: Popup;
  readonly result: string | undefined;
}

const toggleValue = (values: readonly string[], value: string) =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value];

const Boxes = ({
  field,
  entity,
  values,
  onChange,
  options,
  popup,
  result,
}: ValuesProps & {
  entity: EntityJson | undefined;
  options: readonly { readonly value: string; readonly label: string }[];
}) => (
  <>
    {field.type === "state" && <StateGroups entity={entity} values={values} onChange={onChange} />}
    <ul className="boxes">
      {options.map(({ value, label }) => {
        const state = field.type === "state" ? entity?.states?.states.find(({ name }) => name === value) : undefined;
        return (
          <li key={value}>
            <label>
              <input
                type="checkbox"
                checked={values.includes(value)}
                onChange={() => onChange(toggleValue(values, value))}
              />
              {state && <StateMark mark={state.mark} />}
              <bdi>{label}</bdi>
            </label>
          </li>
        );
      })}
    </ul>
    <SheetFoot popup={popup} words={result} />
  </>
);

/** Chooses all states in which something can still be done, or all final ones; pressed again, none. */
const StateGroups = ({
  entity,
  values,
  onChange,
}: Pick<ValuesProps, "values" | "onChange"> & { entity: EntityJson | undefined }) => {
  const { say } = useWords();
  const { open, ended } = splitStates(entity?.states);
  if (open.length < 2 || ended.length === 0) return null;
  return (
    <div className="spans">
      {(
        [
          ["list.filter.open", open],
          ["list.filter.ended", ended],
        ] as const
      ).map(([words, group]) => {
        const isPressed = values.length === group.length && group.every(({ name }) => values.includes(name));
        const choose = () => onChange(isPressed ? [] : group.map(({ name }) => name));
        return (
          <Button key={words} small aria-pressed={isPressed} onClick={choose}>
            {say(words)}
          </Button>
        );
      })}
    </div>
  );
};

type Offered = Pick<RecordOption, "id" | "label" | "foundBy">;

const Searched = ({ field, values, onChange, popup, result }: ValuesProps) => {
  const { say } = useWords();
  const [typed, setTyped] = useState("");
  const { found, isFetching, readable, failure } = useCandidates(field.entity, typed, true);
  const failureWords = useReadFailureWords();
  const labels = useLabels(field, values);
  const none: Offered = { id: "", label: say("value.none") };
  const chosen = values.map((id, at): Offered => (id === "" ? none : { id, label: labels[at] ?? id }));
  const offered: readonly Offered[] = field.optional && typed === "" ? [...found, none] : found;
  const rest = offered.filter(({ id }) => !values.includes(id));
  // Enter waits for the search: before its end, the first record could be another one than is meant.
  const [isEntered, setEntered] = useState(false);
  const first = found.find((one) => one.foundBy === undefined) ?? found[0];
  useEffect(() => {
    if (!isEntered || isFetching) return;
    setEntered(false);
    if (first === undefined) return;
    onChange(toggleValue(values, first.id));
    setTyped("");
  }, [isEntered, isFetching, first, values, onChange]);
  if (!readable) return <p className="option-none">{say("reference.unreadable")}</p>;
  return (
    <>
      <div className="box">
        <Icon name="search" />
        <SearchInput
          aria-label={say("reference.search.in", { field: field.label })}
          placeholder={say("reference.search")}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setEntered(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || isComposing(event)) return;
            event.preventDefault();
            if (typed.trim() === "") popup.close();
            else setEntered(true);
          }}
        />
      </div>
      <ul className="boxes">
        {[...chosen, ...rest].map(({ id, label, foundBy }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={values.includes(id)} onChange={() => onChange(toggleValue(values, id))} />
              <bdi className="cut">{label}</bdi>
              {foundBy !== undefined && <bdi className="small-words cut">{foundBy}</bdi>}
            </label>
          </li>
        ))}
      </ul>
      {failure !== null ? (
        <p className="option-none" role="status">
          {failureWords(failure)}
        </p>
      ) : (
        rest.length === 0 &&
        !isFetching &&
        typed !== "" && <p className="option-none">{say("reference.none", { typed })}</p>
      )}
      <SheetFoot popup={popup} words={result} />
    </>
  );
};

/** A range, either end of which may be open; dates offer periods that are relative to today. */
const Range = (props: ControlProps) => {
  const { field, filters, onChange, popup } = props;
  if (!offersPeriods(field)) return <Ends {...props} />;
  const [period] = filters[`${field.name}@`] ?? [];
  return (
    <>
      <PeriodPicker
        field={field}
        current={period ?? null}
        onChoose={(name) => {
          onChange({ [`${field.name}@`]: [name] });
          popup.close();
        }}
      />
      <Ends {...props} />
    </>
  );
};

const Ends = ({ field, filters, onChange, popup }: ControlProps) => {
  const { say } = useWords();
  const context = useLocale();
  const wrongId = useId();
  const [ends, setEnds] = useState(() => readRange(field, filters, context));
  const [wrong, setWrong] = useState<"from" | "to" | null>(null);
  const endOf = endField(field);
  const apply = () => {
    const read = readEnds(field, ends, context);
    if (read.kind === "unreadable") {
      setWrong(read.end);
      return;
    }
    // Without dates, a period that was chosen above stays.
    if (Object.keys(read.filters).length > 0 || filters[`${field.name}@`] === undefined) onChange(read.filters);
    popup.close();
  };
  return (
    <form
      className="typed"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {(["from", "to"] as const).map((end) => (
        <RangeEnd
          key={end}
          field={endOf}
          end={end}
          entered={ends[end]}
          wrongId={wrong === end ? wrongId : null}
          onEnter={(entered) => {
            setEnds({ ...ends, [end]: entered });
            setWrong(null);
          }}
        />
      ))}
      {wrong && <Unreadable id={wrongId} field={endOf} />}
      <Button type="submit" small>
        {say("list.filter.apply")}
      </Button>
    </form>
  );
};

const RangeEnd = ({
  field,
  end,
  entered,
  wrongId,
  onEnter,
}: {
  field: FieldJson;
  end: "from" | "to";
  entered: Entered;
  wrongId: string | null;
  onEnter: (entered: Entered) => void;
}) => {
  const { say } = useWords();
  const [id, labelId] = [useId(), useId()];
  const Input = inputs[field.type];
  return (
    <div className={wrongId === null ? undefined : "bad"}>
      <label id={labelId} htmlFor={id}>
        {say(end === "from" ? "list.filter.from.label" : "list.filter.to.label")}
      </label>
      <Input
        field={field}
        id={id}
        labelId={labelId}
        entered={entered}
        onEnter={onEnter}
        onLeave={() => {}}
        describedBy={wrongId ?? undefined}
        invalid={wrongId !== null}
      />
    </div>
  );
};

const Unreadable = ({ id, field }: { id: string; field: FieldJson }) => {
  const errorWords = useErrorWords();
  return (
    <p className="mend" id={id}>
      <Icon name="alert" />
      {errorWords({ kind: "unreadable", field: field.name, clause: field.clause }, field)}
    </p>
  );
};

/** Search words in a text field, applied with a button. */
const Typed = ({ field, filters, onChange, popup }: ControlProps) => {
  const { say } = useWords();
  const id = useId();
  const [typed, setTyped] = useState(filters[`${field.name}~`]?.[0] ?? "");
  return (
    <form
      className="typed"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed.trim() === "" ? {} : { [`${field.name}~`]: [typed.trim()] });
        popup.close();
      }}
    >
      <label htmlFor={id}>{say("list.filter.holds.label")}</label>
      <div className="box">
        <SearchInput id={id} value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
      </div>
      <Button type="submit" small>
        {say("list.filter.apply")}
      </Button>
    </form>
  );
};

export default FilterControl;
