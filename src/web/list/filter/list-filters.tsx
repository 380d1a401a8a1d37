import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Filters, ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { usePhone, useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { useFitting } from "../../ui/dom/use-fitting.ts";
import { Icon } from "../../ui/icon.tsx";
import { AddFilter } from "./add-filter.tsx";
import { FilterChip } from "./filter-chip.tsx";
import {
  clearFilters,
  filterBy,
  filterFields,
  getFieldFilters,
  isNarrowed,
  orderByColumns,
  otherFilters,
} from "./list-search.ts";
import { SearchBox } from "./search-box.tsx";
import { useTileTitle } from "./tile-title.ts";
import { useFilterCommands } from "./use-filter-commands.ts";

interface FiltersProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  /** The visible columns, whose filters are offered before others. */
  readonly columns: readonly string[];
  readonly seek: (next: ListSearch) => void;
  /** True if nothing matches: the place of the rows offers to clear the filters. */
  readonly isEmpty: boolean;
  /** Content before the filters, and after the search. */
  readonly before?: ReactNode;
  readonly children?: ReactNode;
}

/** The search and the filters of a list, in one line. Filters without space are offered under “Filter”. */
export const ListFilters = ({ screen, entity, search, columns, seek, isEmpty, before, children }: FiltersProps) => {
  const { say } = useWords();
  const phone = usePhone();
  const [added, setAdded] = useState<readonly string[]>([]);
  // The chip that was used last stays where it is, because its panel may be open and it may have the focus.
  const [kept, setKept] = useState<string | null>(null);
  const isOn = (field: FieldJson) => Object.keys(getFieldFilters(field, search.filters)).length > 0;
  const more = otherFilters(screen, entity);
  const isChip = (field: FieldJson) => added.includes(field.name) || field.name === kept || isOn(field);
  const chips = [...filterFields(screen, entity), ...more.filter(isChip)];
  const foldable = chips.filter((field) => !isOn(field) && field.name !== kept);
  const { ref, fitting } = useFitting(
    foldable.map(({ name }) => name),
    { isOff: phone },
  );
  const [open, setOpen] = useState<string | null>(null);
  const isOpen = chips.some(({ name }) => name === open);
  const inOrder = useOrder(chips, phone ? isOn : () => false, isOpen);
  const first = inOrder.find(isOn)?.name;
  // Also once the last one is removed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the line begins anew with another first filter
  useEffect(() => {
    if (phone) ref.current?.scrollTo({ left: 0 });
  }, [phone, first, ref]);
  const folded = foldable.filter(({ name }) => !fitting.has(name));
  const rest = orderByColumns([...folded, ...more.filter((field) => !chips.includes(field))], columns);
  const tile = useTileTitle(search.where);
  const filter = (field: FieldJson, filters: Filters) => {
    setKept(field.name);
    seek(filterBy(search, field, filters));
  };
  useFilterCommands(entity, [...chips, ...rest], filter);
  useTools(isNarrowed(search) ? { [say("list.clear")]: () => seek(clearFilters(search)) } : {});
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not form controls
    <div className="filters" role="group" aria-label={say("list.filters")}>
      <SearchBox words={search.words} onSearch={(words) => seek({ ...search, words })} />
      <div ref={ref} className="filter-chips">
        {before}
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
        {inOrder
          .filter((field) => !folded.includes(field))
          .map((field) => (
            <FilterChip
              key={field.name}
              field={field}
              entity={entity}
              filters={getFieldFilters(field, search.filters)}
              opened={field.name === kept}
              onChange={(filters) => filter(field, filters)}
              onToggle={(isOpen) => setOpen((now) => (isOpen ? field.name : now === field.name ? null : now))}
            />
          ))}
        {(rest.length > 0 || chips.length > 0) && (
          <AddFilter
            fields={rest}
            chips={inOrder.filter((field) => !folded.includes(field))}
            onOpen={(name) => ref.current?.querySelector<HTMLElement>(`button[data-filter="${name}"]`)?.click()}
            onAdd={(name) => {
              setAdded([...added, name]);
              setKept(name);
            }}
          />
        )}
        {isNarrowed(search) && (
          <Button
            look="quiet"
            small
            className={isEmpty ? "chips-clear unseen" : "chips-clear"}
            aria-label={say("list.clear")}
            onClick={() => seek(clearFilters(search))}
          >
            {say("list.clear.short")}
          </Button>
        )}
      </div>
      {children}
    </div>
  );
};

/**
 * The filters in use come first in the line of a phone, which scrolls: they explain the rows, and each can be removed. While
 * the panel of one is open, all stay where they are, because a panel that moves closes.
 */
const useOrder = (
  chips: readonly FieldJson[],
  isFirst: (field: FieldJson) => boolean,
  isOpen: boolean,
): readonly FieldJson[] => {
  const names = useRef<readonly string[]>([]);
  if (!isOpen)
    names.current = [...chips.filter(isFirst), ...chips.filter((one) => !isFirst(one))].map(({ name }) => name);
  const placeOf = ({ name }: FieldJson) => {
    const place = names.current.indexOf(name);
    return place === -1 ? chips.length : place;
  };
  return chips.toSorted((one, other) => placeOf(one) - placeOf(other));
};
