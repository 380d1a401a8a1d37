import { Suspense } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useMenuCommands } from "../../ui/overlay/menu-commands.ts";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";

const FieldSearch = lazyComponent(() => import("./field-search.tsx"), PageNotLoaded);

interface AddFilterProps {
  readonly fields: readonly FieldJson[];
  readonly onAdd: (name: string) => void;
}

/** Chooses one more field to filter by. */
export const AddFilter = ({ fields, onAdd }: AddFilterProps) => {
  const { say } = useWords();
  const popup = usePopup();
  useMenuCommands(
    fields.map(({ name, label }) => ({ key: name, label, act: () => onAdd(name) })),
    say("list.filter.add"),
  );
  return (
    <>
      <button type="button" {...popup.control} className="chip-add" aria-haspopup="dialog">
        <Icon name="plus" size={14} />
        {say("list.filter.add")}
      </button>
      <PopupPanel popup={popup} label={say("list.filter.add")} className="filter">
        <Suspense fallback={null}>
          <FieldSearch
            fields={fields}
            popup={popup}
            onAdd={(name) => {
              popup.close();
              onAdd(name);
            }}
          />
        </Suspense>
      </PopupPanel>
    </>
  );
};
