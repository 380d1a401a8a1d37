import { useEffect, useId, useRef } from "react";
import type { Filters } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import { useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { useFilterWords, useLabels } from "./filter-text.ts";
import { usePeriodDays } from "./period-text.ts";

const FilterControl = lazyComponent(() => import("./filter-control.tsx"), PageNotLoaded);

interface ChipProps {
  readonly field: FieldJson;
  /** The entity that has the field; undefined if the field is not of the document. */
  readonly entity?: EntityJson;
  /** The filters on this field. */
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  /** The rows that the filters leave, in words; undefined if they are not counted. */
  readonly result?: string | undefined;
  /** True if it was just added and should open. */
  readonly opened?: boolean;
  /** Called when its panel opens and when it has closed. */
  readonly onToggle?: (isOpen: boolean) => void;
}

/** A filter on one field: its values in words, and a popup to change them. */
export const FilterChip = ({ field, entity, filters, onChange, result, opened = false, onToggle }: ChipProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const words = useFilterWords(entity);
  const labels = useLabels(field, filters[field.name] ?? []);
  const on = Object.keys(filters).length > 0;
  const days = usePeriodDays(field);
  const [period] = filters[`${field.name}@`] ?? [];
  const heading = useId();
  const first = useRef(opened && !on);
  useEffect(() => {
    // The focus returns to the chip: from there, the down arrow leads into the rows.
    if (first.current) {
      popup.anchor.current?.focus({ preventScroll: true });
      popup.show();
    }
    first.current = false;
  }, [popup]);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (popup.open !== wasOpen.current) onToggle?.(popup.open);
    wasOpen.current = popup.open;
  }, [popup.open, onToggle]);
  useTools({
    [say("list.filter.by", { field: field.label })]: popup.show,
    ...(on && { [say("list.filter.clear", { field: field.label })]: () => onChange({}) }),
  });
  return (
    <div className={on ? "chip-group on" : "chip-group"} data-fit={field.name}>
      <button type="button" {...popup.control} className="chip" aria-haspopup="dialog" data-filter={field.name}>
        {on && <Icon name="filter" size={14} />}
        <span className="cut" title={period === undefined ? undefined : (days(period) ?? undefined)}>
          {on ? words(field, filters, labels) : field.label}
        </span>
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
        <LoadingBoundary fallback={null}>
          <FilterControl
            field={field}
            entity={entity}
            filters={filters}
            onChange={onChange}
            popup={popup}
            result={result}
          />
        </LoadingBoundary>
      </PopupPanel>
    </div>
  );
};
