import { useQueries } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { EntityJson, FieldJson, ListScreenJson } from "../../core/wire.ts";
import { enteredOf, readEntered } from "../client/entered.ts";
import { keys } from "../client/queries.ts";
import { filterBy, filterFields, type ListSearch } from "../client/search.ts";
import { fields } from "../field/fields.ts";
import { useCandidates } from "../field/reference.tsx";
import { Button } from "../part/button.tsx";
import { useApplication, useClient, useHere } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { type Popup, PopupPanel, usePopup } from "../part/popup.tsx";
import { StateMark } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";

interface FiltersProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
}

export const ListFilters = ({ screen, entity, search, seek }: FiltersProps) => {
  const { say } = useWords();
  const shown = filterFields(screen, entity);
  const narrowed = Object.keys(search.filters).length > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not the controls of a form
    <div className="filters" role="group" aria-label={say("list.filters")}>
      {shown.map((field) => (
        <FilterChip
          key={field.name}
          field={field}
          entity={entity}
          values={search.filters[field.name] ?? []}
          onChange={(values) => seek(filterBy(search, field.name, values))}
        />
      ))}
      {narrowed && (
        <Button look="quiet" small onClick={() => seek({ ...search, filters: {} })}>
          {say("list.clear")}
        </Button>
      )}
    </div>
  );
};

/** "Status: Asked, Lent". References are named by the caller, who knows their labels. */
export const useFilterWords = () => {
  const { say, show } = useWords();
  return (field: FieldJson, values: readonly string[], named: readonly string[] = values): string => {
    const words = named.map((value) => {
      if (field.type === "boolean") return say(value === "true" ? "value.yes" : "value.no");
      return show.value(field, value) ?? value;
    });
    return say("list.filter", { field: field.label, values: words.join(", ") });
  };
};

/** The labels of the records that a filter names: the address holds only their ids. */
const useLabels = (field: FieldJson, ids: readonly string[]): readonly string[] => {
  const { calls } = useClient();
  const { entities } = useApplication();
  const path = field.type === "reference" ? entities[field.entity ?? ""]?.calls : undefined;
  const records = useQueries({
    queries: path
      ? ids.map((id) => ({
          queryKey: keys.record(path, id),
          queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
          staleTime: 60_000,
        }))
      : [],
  });
  return path ? ids.map((_, at) => records[at]?.data?._label ?? "…") : ids;
};

interface ChipProps {
  readonly field: FieldJson;
  readonly entity: EntityJson;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const FilterChip = ({ field, entity, values, onChange }: ChipProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const words = useFilterWords();
  const labels = useLabels(field, values);
  const on = values.length > 0;
  const heading = useId();
  return (
    <div className={on ? "chip-group on" : "chip-group"}>
      <button type="button" {...popup.control} className="chip" aria-haspopup="dialog" data-filter={field.name}>
        {on && <Icon name="filter" size={14} />}
        <span className="cut">{on ? words(field, values, labels) : field.label}</span>
        {!on && <Icon name="down" size={13} />}
      </button>
      {on && (
        <button
          type="button"
          className="chip-clear"
          aria-label={say("list.filter.clear", { field: field.label })}
          onClick={() => {
            onChange([]);
            popup.anchor.current?.focus();
          }}
        >
          <Icon name="close" size={13} />
        </button>
      )}
      <PopupPanel popup={popup} labelledBy={heading} className="filter" focus="first">
        <h2 id={heading}>{field.label}</h2>
        <FilterControl field={field} entity={entity} values={values} onChange={onChange} popup={popup} />
      </PopupPanel>
    </div>
  );
};

/** A control that fits the type: a few values are boxes to tick, people and things are searched, the rest is typed. */
const FilterControl = (props: ChipProps & { popup: Popup }) => {
  const { say } = useWords();
  const { field, values, onChange } = props;
  switch (field.type) {
    case "choice":
    case "state":
      return <Boxes {...props} options={field.values ?? []} />;
    case "boolean":
      return (
        <Boxes
          {...props}
          options={[
            { value: "true", label: say("value.yes") },
            { value: "false", label: say("value.no") },
          ]}
        />
      );
    case "reference":
      return <Searched field={field} values={values} onChange={onChange} />;
    default:
      return <Typed {...props} />;
  }
};

const toggled = (values: readonly string[], value: string) =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value];

const Boxes = ({
  field,
  entity,
  values,
  onChange,
  options,
}: ChipProps & { options: readonly { readonly value: string; readonly label: string }[] }) => (
  <ul className="boxes">
    {options.map(({ value, label }) => {
      const state = field.type === "state" ? entity.states?.states.find(({ name }) => name === value) : undefined;
      return (
        <li key={value}>
          <label>
            <input type="checkbox" checked={values.includes(value)} onChange={() => onChange(toggled(values, value))} />
            {state && <StateMark mark={state.mark} />}
            <bdi>{label}</bdi>
          </label>
        </li>
      );
    })}
  </ul>
);

const Searched = ({ field, values, onChange }: Omit<ChipProps, "entity">) => {
  const { say } = useWords();
  const [typed, setTyped] = useState("");
  const { found, isFetching, readable } = useCandidates(field.entity, typed, true);
  const labels = useLabels(field, values);
  const chosen = values.map((id, at) => ({ id, label: labels[at] ?? id }));
  const rest = found.filter(({ id }) => !values.includes(id));
  if (!readable) return <p className="option-none">{say("reference.unreadable")}</p>;
  return (
    <>
      <div className="box">
        <Icon name="search" />
        <input
          type="text"
          autoComplete="off"
          aria-label={say("reference.search.in", { field: field.label })}
          placeholder={say("reference.search")}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <ul className="boxes">
        {[...chosen, ...rest].map(({ id, label }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={values.includes(id)} onChange={() => onChange(toggled(values, id))} />
              <bdi className="cut">{label}</bdi>
            </label>
          </li>
        ))}
      </ul>
      {rest.length === 0 && !isFetching && typed !== "" && (
        <p className="option-none">{say("reference.none", { typed })}</p>
      )}
    </>
  );
};

/** Exactly what is typed, in the form of the field: the list is narrowed when it is applied. */
const Typed = ({ field, values, onChange, popup }: ChipProps & { popup: Popup }) => {
  const { say } = useWords();
  const here = useHere();
  const [labelId, wrongId] = [useId(), useId()];
  const [entered, setEntered] = useState(() => enteredOf(field, values[0] ?? null, here));
  const [wrong, setWrong] = useState(false);
  const Input = fields[field.type].Input;

  const apply = () => {
    const reading = readEntered(field, entered, here);
    setWrong(reading.kind === "unreadable");
    if (reading.kind === "unreadable") return;
    onChange(reading.value === null ? [] : [String(reading.value)]);
    popup.close();
  };

  return (
    <form
      className={wrong ? "typed bad" : "typed"}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label id={labelId} htmlFor={`filter-${field.name}`}>
        {say("list.filter.is")}
      </label>
      <Input
        field={field}
        id={`filter-${field.name}`}
        labelId={labelId}
        entered={entered}
        onEnter={(next) => {
          setEntered(next);
          setWrong(false);
        }}
        onLeave={() => {}}
        describedBy={wrong ? wrongId : undefined}
        invalid={wrong}
      />
      {wrong && (
        <p className="mend" id={wrongId}>
          <Icon name="alert" />
          {say("list.filter.unreadable")}
        </p>
      )}
      <Button type="submit" small>
        {say("list.filter.apply")}
      </Button>
    </form>
  );
};
