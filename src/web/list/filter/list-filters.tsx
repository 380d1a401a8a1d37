import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { Filters, ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { usePhone, useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { useFitting } from "../../ui/dom/use-fitting.ts";
import { useOverflow } from "../../ui/dom/use-overflow.ts";
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
import { useFilterCommands, useFilterValues } from "./use-filter-commands.ts";

interface FiltersProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  /** The visible columns, whose filters are offered before others. */
  readonly columns: readonly string[];
  readonly seek: (next: ListSearch) => void;
  /** The number of rows; null while they are being counted, undefined if they are not counted. */
  readonly count?: Count | null | undefined;
  /** True if nothing matches: the place of the rows offers to clear the filters. */
  readonly isEmpty: boolean;
  /** On a phone, the order and the groups, which are chosen beside “Filter”. */
  readonly order?: ReactNode;
  readonly children?: ReactNode;
}

/** The filters of a search, to compare. */
const toKey = ({ filters, where }: ListSearch): string =>
  JSON.stringify([Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1)), where]);

/**
 * The search and the filters of a list, in one line. Filters without space are offered under “Filter”. On a phone, filters
 * in use have a line of their own, which scrolls sideways or unfolds: “Filter”, the order and the groups stay in place above
 * it. Filters that come from elsewhere, such as the navigation, are another visit: the line begins anew.
 */
export const ListFilters = (props: FiltersProps) => {
  const { search, seek } = props;
  const now = toKey(search);
  const shown = useRef(now);
  const sought = useRef(now);
  const visit = useRef(0);
  if (shown.current !== now) {
    if (sought.current !== now) visit.current += 1;
    shown.current = now;
  }
  const seekHere = (next: ListSearch) => {
    sought.current = toKey(next);
    seek(next);
  };
  return <FilterLine key={visit.current} {...props} seek={seekHere} />;
};

const FilterLine = ({ screen, entity, search, columns, seek, count, isEmpty, order, children }: FiltersProps) => {
  const { say } = useWords();
  const phone = usePhone();
  const [added, setAdded] = useState<readonly string[]>([]);
  // The chip that was used last stays where it is, because its panel may be open and it may have the focus.
  const [kept, setKept] = useState<string | null>(null);
  const [isUnfolded, unfold] = useState(false);
  const isOn = (field: FieldJson) => Object.keys(getFieldFilters(field, search.filters)).length > 0;
  const more = otherFilters(screen, entity);
  const isChip = (field: FieldJson) => added.includes(field.name) || field.name === kept || isOn(field);
  const chips = [...filterFields(screen, entity), ...more.filter(isChip)];
  const foldable = chips.filter((field) => !isOn(field) && field.name !== kept);
  const { ref, fitting } = useFitting(
    foldable.map(({ name }) => name),
    { isOff: phone },
  );
  useChipInView(ref, kept, search);
  const group = useRef<HTMLDivElement>(null);
  /** The field that was just chosen to filter by, and from where. */
  const picked = useRef<{ readonly name: string; readonly from: Element | null } | null>(null);
  const onToggle = (field: FieldJson, isOpen: boolean) => {
    const one = picked.current;
    if (isOpen || one?.name !== field.name) return;
    picked.current = null;
    if (isOn(field)) return;
    // A filter that was chosen by mistake goes, and so does the focus.
    setAdded((now) => now.filter((name) => name !== field.name));
    setKept(null);
    const from =
      one.from?.isConnected && one.from !== document.body ? one.from : group.current?.querySelector(".chip-add");
    if (from instanceof HTMLElement) from.focus({ preventScroll: true });
  };
  // On a phone, lines are short: only the filters in use have chips.
  const folded = phone ? foldable : foldable.filter(({ name }) => !fitting.has(name));
  const rest = orderByColumns([...folded, ...more.filter((field) => !chips.includes(field))], columns);
  const filter = (field: FieldJson, filters: Filters) => {
    setKept(field.name);
    seek(filterBy(search, field, filters));
  };
  const values = useFilterValues(entity, [...chips, ...rest]);
  useFilterCommands(values, filter);
  const result = useResultWords(entity, count);
  const clear = () => {
    setKept(null);
    seek(clearFilters(search));
  };
  useTools(isNarrowed(search) ? { [say("list.clear")]: clear } : {});
  const drawChip = (field: FieldJson) => (
    <FilterChip
      key={field.name}
      field={field}
      entity={entity}
      filters={getFieldFilters(field, search.filters)}
      opened={field.name === kept}
      onChange={(filters) => filter(field, filters)}
      result={result}
      onToggle={(isOpen) => onToggle(field, isOpen)}
    />
  );
  const visible = chips.filter((field) => !folded.includes(field));
  const adding = (rest.length > 0 || chips.length > 0) && (
    <AddFilter
      fields={rest}
      chips={visible}
      // On a phone, a field stays in its place when it is filtered by.
      options={phone ? orderByColumns([...filterFields(screen, entity), ...more], columns) : [...rest, ...visible]}
      values={values}
      onFilter={filter}
      onOpen={(name) => {
        const chip = group.current?.querySelector<HTMLElement>(`button[data-filter="${name}"]`);
        chip?.focus({ preventScroll: true });
        chip?.click();
      }}
      onAdd={(name, from) => {
        picked.current = { name, from };
        setAdded([...added, name]);
        setKept(name);
      }}
    />
  );
  const { where } = search;
  const hasChips = visible.length > 0 || where !== null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not form controls
    <div ref={group} className="filters" role="group" aria-label={say("list.filters")}>
      <SearchBox words={search.words} onSearch={(words) => seek({ ...search, words })} />
      {phone && (
        <div className="filter-tools">
          {adding}
          {order}
        </div>
      )}
      {(!phone || hasChips) && (
        <div ref={ref} className={isUnfolded ? "filter-chips unfolded" : "filter-chips"}>
          {where !== null && <TileChip where={where} clear={() => seek({ ...search, where: null })} />}
          {visible.map(drawChip)}
          {!phone && adding}
          {isNarrowed(search) && <ClearButton isEmpty={isEmpty} clear={clear} />}
          {phone && (
            <FoldedConditions
              line={ref}
              count={chips.filter(isOn).length + (where === null ? 0 : 1)}
              isUnfolded={isUnfolded}
              unfold={unfold}
            />
          )}
        </div>
      )}
      {children}
    </div>
  );
};

/** Takes back all filters and the search, but neither the order nor the groups. */
const ClearButton = ({ isEmpty, clear }: Pick<FiltersProps, "isEmpty"> & { readonly clear: () => void }) => {
  const { say } = useWords();
  return (
    <Button
      look="quiet"
      small
      className={isEmpty ? "chips-clear unseen" : "chips-clear"}
      aria-label={say("list.clear")}
      onClick={clear}
    >
      {say("list.clear.short")}
    </Button>
  );
};

/** The filter of a tile, from which somebody came. */
const TileChip = ({ where, clear }: { readonly where: string; readonly clear: () => void }) => {
  const { say } = useWords();
  const words = useTileTitle(where) ?? where;
  return (
    <div className="chip-group on">
      <span className="chip still">
        <Icon name="filter" size={14} />
        <span className="cut">{words}</span>
      </span>
      <button
        type="button"
        className="chip-clear"
        aria-label={say("list.filter.clear", { field: words })}
        onClick={clear}
      >
        <Icon name="close" size={13} />
      </button>
    </div>
  );
};

interface FoldedProps {
  /** The line of chips. */
  readonly line: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly isUnfolded: boolean;
  readonly unfold: (isUnfolded: boolean) => void;
}

/** Shows in as many lines as they need the conditions of a list that go on beyond the edge of their line. */
const FoldedConditions = ({ line, count, isUnfolded, unfold }: FoldedProps) => {
  const { say, show } = useWords();
  const overflows = useOverflow(line);
  if (count === 0 || !(overflows || isUnfolded)) return null;
  return (
    <button
      type="button"
      className="chips-fold figures"
      aria-expanded={isUnfolded}
      aria-label={say("list.conditions", { count })}
      onClick={() => unfold(!isUnfolded)}
    >
      {show.number(count)}
      <Icon name={isUnfolded ? "up" : "down"} size={14} />
    </button>
  );
};

/** Scrolls the line of chips to the one that was used last: others can have become wider. */
const useChipInView = (line: RefObject<HTMLElement | null>, name: string | null, search: ListSearch): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each search can change the widths
  useEffect(() => {
    const row = line.current;
    const chip = name === null ? null : row?.querySelector(`[data-fit="${name}"]`);
    if (row == null || chip == null) return;
    const scroll = () => {
      const [edge, at] = [row.getBoundingClientRect(), chip.getBoundingClientRect()];
      const end = edge.right - (row.querySelector<HTMLElement>(".chips-fold")?.offsetWidth ?? 0) - 12;
      const beyond = at.right > end ? at.right - end : Math.min(0, at.left - edge.left - 12);
      if (beyond !== 0) row.scrollBy({ left: beyond });
    };
    let frame = 0;
    // Names of records come later than the filter, and the button that unfolds the line after both.
    const watch = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(scroll);
    });
    watch.observe(chip);
    return () => {
      watch.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [line, name, search]);
};

/** Says on a phone to how many rows a filter leads; undefined if they are not counted. */
const useResultWords = ({ one: thing, many: things }: EntityJson, count: FiltersProps["count"]): string | undefined => {
  const { say } = useWords();
  if (count === undefined) return undefined;
  if (count === null) return say("list.filter.show.rows", { things });
  return typeof count === "number"
    ? say("list.filter.show", { count, thing, things })
    : say("list.filter.show.many", { count, things });
};
