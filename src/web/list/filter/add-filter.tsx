import { useCallback, useMemo, useRef, useState } from "react";
import type { Filters } from "../../../core/derive/http/list-query.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { useKeys, useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { FieldPicker } from "./late-field-picker.tsx";
import type { FilterValue } from "./use-filter-commands.ts";

interface AddFilterProps {
  /** The fields without a chip. */
  readonly fields: readonly FieldJson[];
  /** The fields with a chip, which is opened. */
  readonly chips: readonly FieldJson[];
  /** All of them, as they are offered at the pointer. */
  readonly options: readonly FieldJson[];
  /** Their values, which are found by typing and applied at once. */
  readonly values: readonly FilterValue[];
  readonly onFilter: (field: FieldJson, filters: Filters) => void;
  /** `from`: the element from which the field was chosen, to which an unused filter returns the focus. */
  readonly onAdd: (name: string, from: Element | null) => void;
  readonly onOpen: (name: string) => void;
}

/** Begins the name of an option that is a value. No field is called so. */
const VALUE = "= ";

/** Chooses a field to filter by: one more, or by its key any field, or a value of any. */
export const AddFilter = ({ fields, chips, options, values, onFilter, onAdd, onOpen }: AddFilterProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const { show } = popup;
  const [isByKey, setByKey] = useState(false);
  const from = useRef<Element | null>(null);
  const showByKey = useCallback(() => {
    from.current = document.activeElement;
    setByKey(true);
    show();
  }, [show]);
  useKeys(useMemo(() => ({ f: showByKey }), [showByKey]));
  useTools(
    Object.fromEntries(
      fields.map(({ name, label }) => [say("list.filter.by", { field: label }), () => onAdd(name, null)]),
    ),
  );
  return (
    <>
      <button
        type="button"
        {...popup.control}
        className="chip-add"
        aria-haspopup="dialog"
        aria-keyshortcuts="F"
        onClick={({ currentTarget }) => {
          from.current = currentTarget;
          setByKey(false);
        }}
      >
        <Icon name="plus" size={14} />
        {say("list.filter.add")}
      </button>
      <PopupPanel popup={popup} label={say("list.filter.add")} className="filter">
        <LoadingBoundary fallback={null}>
          <FieldPicker
            label={say("list.filter.add")}
            // A key chooses first among those that the document names, whose chips are there for the pointer.
            options={isByKey ? [...chips, ...fields] : options}
            searched={[
              ...chips,
              ...fields,
              ...values.map(({ label, field }, at) => ({ name: `${VALUE}${at}`, label, of: field.label })),
            ]}
            onChoose={(name) => {
              popup.close();
              const value = name.startsWith(VALUE) ? values[Number(name.slice(VALUE.length))] : undefined;
              if (value !== undefined) return onFilter(value.field, value.filters);
              if (fields.some((field) => field.name === name)) onAdd(name, from.current);
              else onOpen(name);
            }}
          />
        </LoadingBoundary>
      </PopupPanel>
    </>
  );
};
