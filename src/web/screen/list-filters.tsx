import { useQueries } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { EntityJson, FieldJson, ListScreenJson } from "../../core/wire.ts";
import type { Entered } from "../client/entered.ts";
import { keys } from "../client/queries.ts";
import { daysOf, endField, endsOf, filtersFor, readEnds, type Span, spanOf } from "../client/ranges.ts";
import {
  type Filters,
  filterBy,
  filterFields,
  filtersOf,
  isNarrowed,
  type ListSearch,
  otherFilters,
  whole,
} from "../client/search.ts";
import { fields } from "../field/fields.ts";
import { useCandidates } from "../field/reference.tsx";
import { Button } from "../part/button.tsx";
import { useApplication, useClient, useHere } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { Menu } from "../part/menu.tsx";
import { type Popup, PopupPanel, usePopup } from "../part/popup.tsx";
import { StateMark } from "../part/state-mark.tsx";
import type { WordId } from "../words/languages.ts";
import { useWords } from "../words/words.tsx";

interface FiltersProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
  /** What stands at the line's end. */
  readonly children?: ReactNode;
}

export const ListFilters = ({ screen, entity, search, seek, children }: FiltersProps) => {
  const { say } = useWords();
  const [added, setAdded] = useState<readonly string[]>([]);
  const more = otherFilters(screen, entity);
  const extra = more.filter(
    (field) => added.includes(field.name) || Object.keys(filtersOf(field, search.filters)).length > 0,
  );
  const rest = more.filter((field) => !extra.includes(field));
  const tile = useTileTitle(search.where);
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not the controls of a form
    <div className="filters" role="group" aria-label={say("list.filters")}>
      <SearchBox words={search.words} onSearch={(words) => seek({ ...search, words })} />
      {search.where !== null && (
        <div className="chip-group on">
          <span className="chip still">
            <Icon name="filter" size={14} />
            <span className="cut">{tile ?? search.where}</span>
          </span>
          <button
            type="button"
            className="chip-clear"
            aria-label={say("list.filter.clear", { field: tile ?? search.where })}
            onClick={() => seek({ ...search, where: null })}
          >
            <Icon name="close" size={13} />
          </button>
        </div>
      )}
      {[...filterFields(screen, entity), ...extra].map((field) => (
        <FilterChip
          key={field.name}
          field={field}
          entity={entity}
          filters={filtersOf(field, search.filters)}
          opened={added.includes(field.name)}
          onChange={(filters) => seek(filterBy(search, field, filters))}
        />
      ))}
      {rest.length > 0 && <AddFilter fields={rest} onAdd={(name) => setAdded([...added, name])} />}
      {isNarrowed(search) && (
        <Button look="quiet" small onClick={() => seek(whole(search))}>
          {say("list.clear")}
        </Button>
      )}
      {children}
    </div>
  );
};

/** The title of the tile whose records a list shows. */
const useTileTitle = (clause: string | null): string | null => {
  const { screens } = useApplication();
  if (clause === null) return null;
  return (
    screens.flatMap((one) => (one.kind === "tiles" ? one.tiles : [])).find((one) => one.clause === clause)?.title ??
    null
  );
};

/** Looks for words once one has stopped typing them. */
const SearchBox = ({ words, onSearch }: { words: string; onSearch: (words: string) => void }) => {
  const { say } = useWords();
  const [typed, setTyped] = useState(words);
  const asked = useRef(words);
  useEffect(() => {
    if (words === asked.current) return;
    asked.current = words;
    setTyped(words);
  }, [words]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = wanted;
      onSearch(wanted);
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, onSearch]);
  return (
    <div className="box search-box">
      <Icon name="search" />
      <input
        type="search"
        data-filter="search"
        autoComplete="off"
        aria-label={say("list.search")}
        placeholder={say("list.search.short")}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || typed === "") return;
          event.stopPropagation();
          setTyped("");
        }}
      />
    </div>
  );
};

const AddFilter = ({ fields: offered, onAdd }: { fields: readonly FieldJson[]; onAdd: (name: string) => void }) => {
  const { say } = useWords();
  const popup = usePopup();
  return (
    <>
      <button type="button" {...popup.control} className="chip-add" aria-haspopup="menu">
        <Icon name="plus" size={14} />
        {say("list.filter.add")}
      </button>
      <Menu
        popup={popup}
        side="start"
        label={say("list.filter.add")}
        items={offered.map(({ name, label }) => ({ key: name, label, act: () => onAdd(name) }))}
      />
    </>
  );
};

/** "Status: Asked, Lent", "Due day: 1 Dec 2026 to 31 Dec 2026". References are named by the caller, who knows their labels. */
export const useFilterWords = () => {
  const { say, show } = useWords();
  const here = useHere();
  return (field: FieldJson, filters: Filters, named?: readonly string[]): string => {
    const values = filters[field.name] ?? [];
    const words = (named ?? values).map((value) => {
      if (value === "") return say("value.none");
      if (field.type === "boolean") return say(value === "true" ? "value.yes" : "value.no");
      return show.value(field, value) ?? value;
    });
    const { from, to } = spanOf(field, filters, here);
    const end = (value: string) => show.value(endField(field), value, false) ?? value;
    if (from !== null && to !== null)
      words.push(from === to ? end(from) : say("list.filter.span", { from: end(from), to: end(to) }));
    else if (from !== null) words.push(say("list.filter.from", { from: end(from) }));
    else if (to !== null) words.push(say("list.filter.to", { to: end(to) }));
    for (const typed of filters[`${field.name}~`] ?? []) words.push(say("list.filter.holds", { words: typed }));
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
          enabled: id !== "",
          queryKey: keys.record(path, id),
          queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
          staleTime: 60_000,
        }))
      : [],
  });
  return path ? ids.map((id, at) => (id === "" ? "" : (records[at]?.data?._label ?? "…"))) : ids;
};

interface ChipProps {
  readonly field: FieldJson;
  readonly entity: EntityJson;
  /** What is said of this field. */
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const FilterChip = ({ field, entity, filters, onChange, opened }: ChipProps & { opened: boolean }) => {
  const { say } = useWords();
  const popup = usePopup();
  const words = useFilterWords();
  const labels = useLabels(field, filters[field.name] ?? []);
  const on = Object.keys(filters).length > 0;
  const heading = useId();
  const first = useRef(opened && !on);
  useEffect(() => {
    // A filter that was asked for a moment ago wants to be filled in.
    if (first.current) popup.show();
    first.current = false;
  }, [popup]);
  return (
    <div className={on ? "chip-group on" : "chip-group"}>
      <button type="button" {...popup.control} className="chip" aria-haspopup="dialog" data-filter={field.name}>
        {on && <Icon name="filter" size={14} />}
        <span className="cut">{on ? words(field, filters, labels) : field.label}</span>
        {!on && <Icon name="down" size={13} />}
      </button>
      {on && (
        <button
          type="button"
          className="chip-clear"
          aria-label={say("list.filter.clear", { field: field.label })}
          onClick={() => {
            onChange({});
            popup.anchor.current?.focus();
          }}
        >
          <Icon name="close" size={13} />
        </button>
      )}
      <PopupPanel popup={popup} labelledBy={heading} className="filter" focus="first">
        <h2 id={heading}>{field.label}</h2>
        <FilterControl field={field} entity={entity} filters={filters} onChange={onChange} popup={popup} />
      </PopupPanel>
    </div>
  );
};

/** A control that fits the type: a few values are boxes to tick, people and things are searched, what has an order has two ends. */
const FilterControl = (props: ChipProps & { popup: Popup }) => {
  const { say } = useWords();
  const { field, entity, filters, onChange } = props;
  const values = filters[field.name] ?? [];
  const choose = (next: readonly string[]) => onChange({ [field.name]: next });
  if (field.filters === "range") return <Range {...props} />;
  if (field.filters === "words") return <Typed {...props} />;
  const none = field.optional && field.type !== "boolean" ? [{ value: "", label: say("value.none") }] : [];
  if (field.type === "reference") return <Searched field={field} values={values} onChange={choose} />;
  const options =
    field.type === "boolean"
      ? [
          { value: "true", label: say("value.yes") },
          { value: "false", label: say("value.no") },
        ]
      : [...(field.values ?? []), ...none];
  return <Boxes field={field} entity={entity} values={values} onChange={choose} options={options} />;
};

interface ValuesProps {
  readonly field: FieldJson;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const toggled = (values: readonly string[], value: string) =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value];

const Boxes = ({
  field,
  entity,
  values,
  onChange,
  options,
}: ValuesProps & { entity: EntityJson; options: readonly { readonly value: string; readonly label: string }[] }) => (
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

const Searched = ({ field, values, onChange }: ValuesProps) => {
  const { say } = useWords();
  const [typed, setTyped] = useState("");
  const { found, isFetching, readable } = useCandidates(field.entity, typed, true);
  const labels = useLabels(field, values);
  const none = { id: "", label: say("value.none") };
  const chosen = values.map((id, at) => (id === "" ? none : { id, label: labels[at] ?? id }));
  const offered = field.optional && typed === "" ? [...found, none] : found;
  const rest = offered.filter(({ id }) => !values.includes(id));
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

const spans = [
  ["today", "list.filter.today"],
  ["week", "list.filter.week"],
  ["month", "list.filter.month"],
  ["year", "list.filter.year"],
] as const satisfies readonly (readonly [Span, WordId])[];

/** Two ends, either of which may be open; days have their usual spans at hand. */
const Range = ({ field, filters, onChange, popup }: ChipProps & { popup: Popup }) => {
  const { say } = useWords();
  const here = useHere();
  const wrongId = useId();
  const [ends, setEnds] = useState(() => endsOf(field, filters, here));
  const [wrong, setWrong] = useState<"from" | "to" | null>(null);
  const asked = endField(field);
  const apply = () => {
    const read = readEnds(field, ends, here);
    if (read.kind === "unreadable") {
      setWrong(read.end);
      return;
    }
    onChange(read.filters);
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
      {asked.type === "date" && (
        <div className="spans">
          {spans.map(([span, words]) => (
            <Button
              key={span}
              small
              onClick={() => {
                onChange(filtersFor(field, daysOf(span, here), here));
                popup.close();
              }}
            >
              {say(words)}
            </Button>
          ))}
        </div>
      )}
      {(["from", "to"] as const).map((end) => (
        <RangeEnd
          key={end}
          field={asked}
          end={end}
          entered={ends[end]}
          wrongId={wrong === end ? wrongId : null}
          onEnter={(entered) => {
            setEnds({ ...ends, [end]: entered });
            setWrong(null);
          }}
        />
      ))}
      {wrong && <Unreadable id={wrongId} />}
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
  const Input = fields[field.type].Input;
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

const Unreadable = ({ id }: { id: string }) => {
  const { say } = useWords();
  return (
    <p className="mend" id={id}>
      <Icon name="alert" />
      {say("list.filter.unreadable")}
    </p>
  );
};

/** Words that a text holds: the list is narrowed when it is applied. */
const Typed = ({ field, filters, onChange, popup }: ChipProps & { popup: Popup }) => {
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
        <input
          id={id}
          type="text"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <Button type="submit" small>
        {say("list.filter.apply")}
      </Button>
    </form>
  );
};
