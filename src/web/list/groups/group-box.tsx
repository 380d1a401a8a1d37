import type { GroupFieldJson } from "../../../core/derive/http/list-query.ts";
import type { GroupedJson } from "../../../core/wire/groups.ts";
import { useWords } from "../../i18n/words.tsx";
import { nameGroup } from "./group-search.ts";
import { type GroupsView, isInGroup } from "./groups-view.ts";

interface GroupBoxProps extends GroupsView {
  readonly field: GroupFieldJson;
  readonly group: GroupedJson;
  readonly path: string;
}

/** The checkbox that selects all rows of a group, or none. */
export const GroupBox = ({ field, group, path, innermost, grouped, selection, selectGroups }: GroupBoxProps) => {
  const words = useWords();
  const { say } = words;
  const own = innermost.flatMap((one) => (isInGroup(one.path, path) ? [one.path] : []));
  const isLoading = own.some(grouped.isGathered);
  const ids = own.flatMap(grouped.idsIn);
  const chosen = ids.filter((id) => selection.selected.has(id)).length;
  const isWhole = chosen > 0 && chosen === ids.length && own.every((one) => grouped.loaded.get(one)?.isComplete);
  const isChecked = isWhole || isLoading;
  const label = say("label.value", { label: field.label, value: nameGroup(words, field, group) });
  return (
    <input
      type="checkbox"
      className="select"
      aria-label={say("bulk.select", { label })}
      aria-busy={isLoading || undefined}
      checked={isChecked}
      ref={(box) => {
        if (box) box.indeterminate = !isChecked && chosen > 0;
      }}
      onChange={() => selectGroups(own, !isChecked)}
    />
  );
};
