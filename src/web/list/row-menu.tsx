import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { RecordActDialog } from "../actions/record-act-dialog.tsx";
import { usePerform } from "../actions/use-perform.ts";
import { useRecordActs } from "../actions/use-record-acts.ts";
import { useTriedRecord } from "../actions/use-tried-record.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import type { Body } from "../api/requests.ts";
import { useClient } from "../app/app-context.tsx";
import { followFocus } from "../app/return-focus.ts";
import { useWords } from "../i18n/words.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { isExpected, type RecordAct } from "../workflow/record-acts.ts";
import { useTransition } from "../workflow/use-transition.ts";
import type { EditCell } from "./table/list-row.tsx";
import { editsOf } from "./table/use-row-keyboard.ts";

interface RowMenuProps {
  readonly entity: EntityJson;
  readonly row: RecordJson;
  /** The control that opened it, or the position of the pointer. */
  readonly anchor: HTMLElement | DOMRect;
  /** Edits a value that no press in the row edits; absent where no values are edited. */
  readonly onEdit?: EditCell;
  /** Where its row is looked for: a record can be in several tiles. The page by default. */
  readonly region?: RefObject<HTMLElement | null>;
  /** Selects or deselects the row; absent where rows are not selected. */
  readonly selection?: { readonly selected: boolean; readonly onSelect: () => void };
  readonly onClose: () => void;
}

/** The acts of a row's menu: those that are possible now, or that a rule refuses. Its last item says why others are not. */
const isInRowMenu = (act: RecordAct): boolean => {
  if (act.kind === "letter" || act.kind === "print") return false;
  if (act.kind === "copy link") return "clipboard" in navigator;
  return act.kind === "transition" ? isExpected(act) : act.refused === null;
};

/** Opening, the primary transition, other possible ones, refused ones. */
const rank = (act: RecordAct): number =>
  act.kind !== "transition" ? 0 : act.refused !== null ? 3 : act.primary ? 1 : 2;

const isBeforeSelecting = ({ kind }: RecordAct): boolean => kind === "open" || kind === "transition";

/** The values of a row that no press beside its link edits: those that only the head of its group shows, and its title. */
const findOtherEdits = (link: HTMLElement | null, { fields }: EntityJson) => {
  const edits = link === null ? [] : editsOf(link).filter(({ cell }) => cell === link || "opens" in cell.dataset);
  return edits.flatMap(({ field, cell }) => fields.filter(({ name }) => name === field).map((of) => ({ of, cell })));
};

/** Actions on a row's record; permissions are loaded when the menu opens. */
const RowMenu = ({ entity, row, anchor, region, selection, onEdit, onClose }: RowMenuProps) => {
  const { calls } = useClient();
  const { say } = useWords();
  const sentence = useFailureWords();
  const { transit } = useTransition(entity);
  const popup = usePopup<HTMLElement>();
  const place = useRef<HTMLSpanElement>(null);
  const { data, error, failureReason, isFetching } = useQuery({
    queryKey: keys.record(entity.calls, row.id),
    queryFn: ({ signal }) => calls.record(entity.calls, row.id, signal),
    staleTime: 0,
  });
  // A record that was loaded before the row last changed is being loaded again.
  const isOutdated = isFetching && data !== undefined && data.version < row.version;
  const { record, isAwaited } = useTriedRecord(entity, data ?? row);
  const label = row._label ?? entity.one;
  const findLink = () => (region?.current ?? document).querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`);
  const make = async (transition: TransitionJson, body: Body) => {
    const goOn = followFocus(findLink());
    try {
      await transit(record, transition, body);
    } finally {
      requestAnimationFrame(goOn);
    }
  };
  const { perform, toMenuItem, asked } = usePerform({ entity, record, make });
  const acts = useRecordActs(entity, record, false).filter(isInRowMenu);

  const { show, anchor: popupAnchor } = popup;
  // Waits for permissions, so that items do not move under the pointer.
  const known = (data !== undefined && !isOutdated && !isAwaited) || failureReason !== null;
  useEffect(() => {
    if (!known) return;
    popupAnchor.current = anchor instanceof HTMLElement ? anchor : place.current;
    show();
  }, [show, anchor, popupAnchor, known]);
  // Removed once closed, unless the chosen action opens a dialog.
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !popup.open && !asked) onClose();
    was.current = popup.open;
  }, [popup.open, asked, onClose]);

  const [before, after] = [acts.filter(isBeforeSelecting), acts.filter((act) => !isBeforeSelecting(act))];
  const items: readonly MenuItem[] = [
    ...before
      .toSorted((one, other) => rank(one) - rank(other))
      .map((act) => {
        const mark = act.kind === "transition" ? act.target?.mark : undefined;
        const key = act.kind === "open" ? { note: say("key.enter"), className: "keyed" } : {};
        return { ...toMenuItem(act), ...(mark ? { mark } : {}), ...key };
      }),
    ...(onEdit === undefined ? [] : findOtherEdits(findLink(), entity))
      .filter(({ of }) => record.may?.update.includes(of.name))
      .map(({ of: { name, label: field }, cell }) => ({
        key: `edit ${name}`,
        label: say("record.field.edit", { field }),
        icon: "edit" as const,
        act: () => onEdit?.({ id: row.id, field: name, cell }),
      })),
    ...(selection === undefined
      ? []
      : [
          {
            key: "select",
            label: say(selection.selected ? "row.unselect" : "row.select"),
            icon: "check" as const,
            note: "X",
            className: "keyed",
            act: selection.onSelect,
          },
        ]),
    ...after.map((act) => ({
      ...toMenuItem(act),
      ...(act.kind === "edit" && { note: "E", className: "keyed" }),
    })),
  ];

  const close = () => {
    onClose();
    findLink()?.focus({ preventScroll: true });
  };
  return (
    <>
      {!(anchor instanceof HTMLElement) && (
        <span ref={place} className="menu-place" style={{ left: anchor.left, top: anchor.top }} />
      )}
      <Menu
        popup={popup}
        side={anchor instanceof HTMLButtonElement ? "end" : "start"}
        label={say("row.menu", { label })}
        items={items}
      >
        <p className="menu-title cut">{label}</p>
        {error && <p className="menu-title">{sentence(toFailure(error))}</p>}
      </Menu>
      <RecordActDialog
        entity={entity}
        record={record}
        label={label}
        act={asked}
        make={make}
        perform={perform}
        anchor={popup.anchor.current}
        onClose={close}
      />
    </>
  );
};

export default RowMenu;
