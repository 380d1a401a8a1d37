import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { DeleteDialog } from "../actions/delete-dialog.tsx";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { editAddress, recordAddress } from "../routing/routes.ts";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { useTransition } from "../workflow/use-transition.ts";
import { findTargets, listTransitionControls, opensDialog, stateNamed } from "../workflow/workflow.ts";

const TransitionDialog = lazyDialog(() => import("../actions/transition-dialog.tsx"));

interface RowMenuProps {
  readonly entity: EntityJson;
  readonly row: RecordJson;
  /** The control that opened it, or the position of the pointer. */
  readonly anchor: HTMLElement | DOMRect;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly onClose: () => void;
}

type Confirmation = { readonly kind: "transition"; readonly transition: TransitionJson } | { readonly kind: "delete" };

interface RowItemsProps extends Pick<RowMenuProps, "entity" | "selected" | "onSelect"> {
  readonly record: RecordJson;
  /** Asks before a transition or a deletion. */
  readonly onConfirm: (confirmation: Confirmation) => void;
}

/** The items of a row's menu: opening it, its transitions, selecting, editing, copying its link, deleting. */
const useRowItems = ({ entity, record, selected, onSelect, onConfirm }: RowItemsProps): readonly MenuItem[] => {
  const { permissionQuestion } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  const ask = (what?: string) => () =>
    permissionQuestion.set({ entity: entity.name, record: record.id, ...(what === undefined ? {} : { what }) });
  const transitions = useTransitionItems(entity, record, ask, onConfirm);
  const [open, edit] = [recordAddress(screens, entity.name, record.id), editAddress(screens, entity.name, record.id)];
  const { may } = record;
  const copyLink = (address: string) =>
    void navigator.clipboard
      .writeText(new URL(address, location.href).href)
      .then(() => toast(say("record.link.copied")));
  const editing = { key: " edit", label: say("record.edit"), icon: "edit" } as const;
  const deleting = { key: " delete", label: say("record.delete"), icon: "delete" } as const;
  const items: readonly (MenuItem | null)[] = [
    // The first item is harmless, in case of an accidental key press.
    open === null ? null : { key: " open", label: say("row.open"), icon: "to", href: open },
    ...transitions,
    { key: " select", label: say(selected ? "row.unselect" : "row.select"), icon: "check", act: onSelect },
    edit !== null && may && may.update.length > 0
      ? { ...editing, href: edit }
      : may?.updateRefused
        ? { ...editing, refused: may.updateRefused, ask: ask("update") }
        : null,
    open !== null && "clipboard" in navigator
      ? { key: " link", label: say("record.copy.link"), icon: "link", act: () => copyLink(open) }
      : null,
    may?.delete
      ? { ...deleting, act: () => onConfirm({ kind: "delete" }) }
      : may?.deleteRefused
        ? { ...deleting, refused: may.deleteRefused, ask: ask("delete") }
        : null,
    { key: " why", label: say("may.what"), icon: "why", act: ask(), asks: true },
  ];
  return items.filter((item) => item !== null);
};

/** Transitions of a record. Those from other states are refused to everybody and appear on the record's page. */
const useTransitionItems = (
  entity: EntityJson,
  record: RecordJson,
  ask: (what: string) => () => void,
  onConfirm: (confirmation: Confirmation) => void,
): readonly MenuItem[] => {
  const { say } = useWords();
  const toast = useToast();
  const sentence = useFailureWords();
  const { transit } = useTransition(entity);
  const press = (transition: TransitionJson) => {
    if (opensDialog(entity, transition)) onConfirm({ kind: "transition", transition });
    else
      transit(record, transition, {}).catch((thrown: unknown) => {
        const failure = toFailure(thrown);
        if (failure.kind !== "signed out")
          toast(`${say("record.not.made", { transition: transition.label })} ${sentence(failure)}`);
      });
  };
  return listTransitionControls(entity, record)
    .filter((action) => action.kind === "permitted" || action.why.code !== "WRONG_STATE")
    .map((action): MenuItem => {
      const { transition } = action;
      const [target, another] = findTargets(transition, record);
      const mark = another === undefined ? stateNamed(entity, target)?.mark : undefined;
      const shared = {
        key: transition.name,
        label: opensDialog(entity, transition)
          ? say("record.asks", { transition: transition.label })
          : transition.label,
        ...(mark ? { mark } : {}),
      };
      return action.kind === "refused"
        ? { ...shared, refused: action.why, ask: ask(transition.name) }
        : { ...shared, act: () => press(transition) };
    });
};

/** Actions on a row's record; permissions are loaded when the menu opens. */
const RowMenu = ({ entity, row, anchor, selected, onSelect, onClose }: RowMenuProps) => {
  const { calls } = useClient();
  const { say } = useWords();
  const sentence = useFailureWords();
  const { transit } = useTransition(entity);
  const popup = usePopup<HTMLElement>();
  const [confirming, setConfirming] = useState<Confirmation | null>(null);
  const place = useRef<HTMLSpanElement>(null);
  const { data, error, failureReason } = useQuery({
    queryKey: keys.record(entity.calls, row.id),
    queryFn: ({ signal }) => calls.record(entity.calls, row.id, signal),
    staleTime: 0,
  });
  const record = data ?? row;
  const label = row._label ?? entity.one;

  const { show, anchor: popupAnchor } = popup;
  // Waits for permissions, so that items do not move under the pointer.
  const known = data !== undefined || failureReason !== null;
  useEffect(() => {
    if (!known) return;
    popupAnchor.current = anchor instanceof HTMLElement ? anchor : place.current;
    show();
  }, [show, anchor, popupAnchor, known]);
  // Removed once closed, unless the chosen action opens a dialog.
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !popup.open && !confirming) onClose();
    was.current = popup.open;
  }, [popup.open, confirming, onClose]);

  const items = useRowItems({ entity, record, selected, onSelect, onConfirm: setConfirming });

  const close = () => {
    onClose();
    const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`);
    link?.focus({ preventScroll: true });
  };
  return (
    <>
      {!(anchor instanceof HTMLElement) && (
        <span ref={place} className="menu-place" style={{ left: anchor.left, top: anchor.top }} />
      )}
      <Menu
        popup={popup}
        side={anchor instanceof HTMLElement ? "end" : "start"}
        label={say("row.menu", { label })}
        items={items}
      >
        <p className="menu-title cut">{label}</p>
        {error && <p className="menu-title">{sentence(toFailure(error))}</p>}
      </Menu>
      {confirming?.kind === "transition" && (
        <Suspense fallback={null}>
          <TransitionDialog
            entity={entity}
            record={record}
            label={label}
            transition={confirming.transition}
            make={(transition, body) => transit(record, transition, body)}
            onClose={close}
          />
        </Suspense>
      )}
      {confirming?.kind === "delete" && <DeleteDialog entity={entity} record={record} label={label} onClose={close} />}
    </>
  );
};

export default RowMenu;
