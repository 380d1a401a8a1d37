import { type ReactNode, useState } from "react";
import type { ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useApplication, useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { useMenuCommands } from "../../ui/overlay/menu-commands.ts";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { FilterChip } from "./filter-chip.tsx";
import { clearFilters, filterBy, filterFields, getFieldFilters, isNarrowed, otherFilters } from "./list-search.ts";
import { SearchBox } from "./search-box.tsx";

interface FiltersProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
  /** Content at the end of the line. */
  readonly children?: ReactNode;
}

export const ListFilters = ({ screen, entity, search, seek, children }: FiltersProps) => {
  const { say } = useWords();
  const [added, setAdded] = useState<readonly string[]>([]);
  const more = otherFilters(screen, entity);
  const extra = more.filter(
    (field) => added.includes(field.name) || Object.keys(getFieldFilters(field, search.filters)).length > 0,
  );
  const rest = more.filter((field) => !extra.includes(field));
  const tile = useTileTitle(search.where);
  useTools(isNarrowed(search) ? { [say("list.clear")]: () => seek(clearFilters(search)) } : {});
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not form controls
    <div className="filters" role="group" aria-label={say("list.filters")}>
      <SearchBox words={search.words} onSearch={(words) => seek({ ...search, words })} />
      <div className="filter-chips">
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
            filters={getFieldFilters(field, search.filters)}
            opened={added.includes(field.name)}
            onChange={(filters) => seek(filterBy(search, field, filters))}
          />
        ))}
        {rest.length > 0 && <AddFilter fields={rest} onAdd={(name) => setAdded([...added, name])} />}
        {isNarrowed(search) && (
          <Button look="quiet" small onClick={() => seek(clearFilters(search))}>
            {say("list.clear")}
          </Button>
        )}
      </div>
      {children}
    </div>
  );
};

/** The title of the tile whose records the list shows. */
const useTileTitle = (clause: string | null): string | null => {
  const { screens } = useApplication();
  if (clause === null) return null;
  return (
    screens.flatMap((one) => (one.kind === "tiles" ? one.tiles : [])).find((one) => one.clause === clause)?.title ??
    null
  );
};

const AddFilter = ({ fields: offered, onAdd }: { fields: readonly FieldJson[]; onAdd: (name: string) => void }) => {
  const { say } = useWords();
  const popup = usePopup();
  const items = offered.map(({ name, label }) => ({ key: name, label, act: () => onAdd(name) }));
  useMenuCommands(items, say("list.filter.add"));
  return (
    <>
      <button type="button" {...popup.control} className="chip-add" aria-haspopup="menu">
        <Icon name="plus" size={14} />
        {say("list.filter.add")}
      </button>
      <Menu popup={popup} side="start" label={say("list.filter.add")} items={items} />
    </>
  );
};
