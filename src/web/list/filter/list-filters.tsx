import { type ReactNode, useEffect, useState } from "react";
import type { Filters, ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { usePhone, useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
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
import { useFittingChips } from "./use-fitting-chips.ts";
import { usePeriodCommands } from "./use-period-commands.ts";

interface FiltersProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  /** The visible columns, whose filters are offered before others. */
  readonly columns: readonly string[];
  readonly seek: (next: ListSearch) => void;
  /** True if nothing matches: the place of the rows offers to clear the filters. */
  readonly isEmpty: boolean;
  /** Content at the end of the line. */
  readonly children?: ReactNode;
}

/** The search, the filters and the tools of a list, in one line. Filters without space are offered under “Filter”. */
export const ListFilters = ({ screen, entity, search, columns, seek, isEmpty, children }: FiltersProps) => {
  const { say } = useWords();
  const phone = usePhone();
  const [added, setAdded] = useState<readonly string[]>([]);
  // The chip that was used last keeps its place, because its panel may be open and it may have the focus.
  const [kept, setKept] = useState<string | null>(null);
  const isOn = (field: FieldJson) => Object.keys(getFieldFilters(field, search.filters)).length > 0;
  const more = otherFilters(screen, entity);
  const chips = [...filterFields(screen, entity), ...more.filter((field) => added.includes(field.name) || isOn(field))];
  const foldable = chips.filter((field) => !isOn(field) && field.name !== kept);
  const { ref, fitting } = useFittingChips(
    foldable.map(({ name }) => name),
    phone,
  );
  const inUse = chips.filter(isOn).map(({ name }) => name);
  // The filters in use come first in a line that scrolls.
  useEffect(() => {
    if (phone && inUse.length > 0) ref.current?.scrollTo({ left: 0 });
  }, [phone, inUse.length, ref]);
  const folded = foldable.filter(({ name }) => !fitting.has(name));
  const rest = orderByColumns([...folded, ...more.filter((field) => !chips.includes(field))], columns);
  const tile = useTileTitle(search.where);
  const filter = (field: FieldJson, filters: Filters) => {
    setKept(field.name);
    seek(filterBy(search, field, filters));
  };
  usePeriodCommands(entity, filter);
  useTools(isNarrowed(search) ? { [say("list.clear")]: () => seek(clearFilters(search)) } : {});
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not form controls
    <div className="filters" role="group" aria-label={say("list.filters")}>
      <SearchBox words={search.words} onSearch={(words) => seek({ ...search, words })} />
      <div ref={ref} className="filter-chips">
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
        {chips
          .filter((field) => !folded.includes(field))
          .map((field) => (
            <FilterChip
              key={field.name}
              field={field}
              entity={entity}
              filters={getFieldFilters(field, search.filters)}
              opened={field.name === kept}
              onChange={(filters) => filter(field, filters)}
            />
          ))}
        {rest.length > 0 && (
          <AddFilter
            fields={rest}
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
