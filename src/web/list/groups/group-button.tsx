import type { ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { findGroupings } from "./group-search.ts";

/** Chooses the fields by which the table is grouped: one, and another within it. */
export const GroupButton = ({
  screen,
  entity,
  search,
  seek,
}: {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
}) => {
  const { say } = useWords();
  const popup = usePopup();
  const all = findGroupings(screen, entity);
  if (all.length === 0) return null;
  const { grouped } = search;
  const [outer] = grouped;
  const isFull = grouped.length === 2;
  const group = (next: readonly string[]) => seek({ ...search, grouped: next });
  const items: readonly MenuItem[] = [
    ...all.map((field): MenuItem => {
      const at = grouped.indexOf(field.name);
      return {
        key: field.name,
        label: field.label,
        current: at >= 0,
        ...(at >= 0 ? { icon: "check", note: at === 0 ? "1" : "2" } : {}),
        act: () =>
          group(
            at >= 0
              ? grouped.filter((name) => name !== field.name)
              : isFull && outer !== undefined
                ? [outer, field.name]
                : [...grouped, field.name],
          ),
      };
    }),
    ...(outer === undefined
      ? []
      : [{ key: " none", label: say("groups.end"), icon: "close" as const, act: () => group([]) }]),
  ];
  return (
    <>
      <IconButton
        icon="board"
        small
        label={say("groups.title")}
        words={say("groups.do")}
        aria-haspopup="menu"
        aria-pressed={outer !== undefined}
        {...popup.control}
      />
      <Menu popup={popup} label={say("groups.title")} items={items} />
    </>
  );
};
