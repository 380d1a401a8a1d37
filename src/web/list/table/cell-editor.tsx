import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useEditNote } from "../../actions/use-edit-note.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import EditInPlace from "../../form/edit-in-place.tsx";
import { useWords } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import type { CellToEdit } from "./list-row.tsx";

interface CellEditorProps extends CellToEdit {
  readonly entity: EntityJson;
  readonly onClose: () => void;
  readonly onSaved: (written: RecordJson) => void;
}

/** A press that leaves the editor does not also open the row below it. */
const ignoreClick = () => {
  const over = new AbortController();
  document.addEventListener(
    "click",
    (event) => {
      if (event.target instanceof Element && event.target.closest("tbody tr") !== null) event.stopPropagation();
    },
    { capture: true, signal: over.signal },
  );
  // The click comes right after the release, before any timer.
  for (const letGo of ["pointerup", "pointercancel"])
    window.addEventListener(letGo, () => setTimeout(() => over.abort()), { signal: over.signal });
};

/**
 * Edits the value of a cell beside it, by the form of one field that records have. A press elsewhere saves, as Enter does.
 * If the value is locked on this record, a press opens the row, and the keyboard shows the reason here.
 */
const CellEditor = ({ entity, id, field: name, cell, openRow, onClose, onSaved }: CellEditorProps) => {
  const { calls, permissionQuestion } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  const sentence = useFailureWords();
  const note = useEditNote(entity);
  const popup = usePopup<HTMLElement>();
  const field = entity.fields.find((one) => one.name === name);
  const { data: record, error } = useQuery({
    queryKey: keys.record(entity.calls, id),
    queryFn: ({ signal }) => calls.record(entity.calls, id, signal),
  });
  const { anchor, panel, show, open } = popup;
  const latest = useRef({ onClose, openRow, sentence, toast });
  latest.current = { onClose, openRow, sentence, toast };

  const opens = record?.may?.update.includes(name);
  useEffect(() => {
    if (opens === undefined) return;
    if (!opens && latest.current.openRow !== undefined) {
      latest.current.onClose();
      latest.current.openRow();
      return;
    }
    anchor.current = cell;
    show();
  }, [opens, anchor, cell, show]);
  useEffect(() => {
    if (error === null) return;
    latest.current.toast(latest.current.sentence(toFailure(error)));
    latest.current.onClose();
  }, [error]);
  // A reason closes with a press elsewhere.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) latest.current.onClose();
    wasOpen.current = open;
  }, [open]);
  useEffect(() => {
    if (!open || opens !== true) return;
    cell.dataset.edited = "";
    const press = ({ target }: PointerEvent) => {
      if (!(target instanceof Element) || panel.current?.contains(target) || target.closest("dialog, [popover]"))
        return;
      panel.current?.querySelector("form")?.requestSubmit();
      if (target.closest("a, button, input, td[data-field]:not([data-locked], [data-opens])") === null) ignoreClick();
    };
    document.addEventListener("pointerdown", press);
    return () => {
      delete cell.dataset.edited;
      document.removeEventListener("pointerdown", press);
    };
  }, [open, opens, cell, panel]);

  const close = () => {
    const hadFocus = panel.current?.contains(document.activeElement) === true;
    popup.close();
    if (hadFocus) cell.focus({ preventScroll: true });
    onClose();
  };
  if (record === undefined || field === undefined) return null;
  const address = recordAddress(screens, entity.name, id);
  return opens === true ? (
    <PopupPanel
      popup={popup}
      manual
      focus="none"
      label={say("record.field.edit", { field: field.label })}
      className="cell-editor"
    >
      <EditInPlace
        entity={entity}
        record={record}
        field={field}
        onClose={close}
        onSaved={(written) => {
          onSaved(written);
          note(record, written, [field]);
        }}
      />
    </PopupPanel>
  ) : (
    <PopupPanel popup={popup} label={say("form.still.why", { field: field.label })} className="cell-editor">
      <div className="cell-locked">
        <Icon name="lock" />
        <span>{record.may?.updateRefused?.because ?? say("list.cell.locked", { field: field.label })}</span>
      </div>
      <footer className="edit-in-place-foot">
        {address !== null && (
          <Link href={address} className={buttonClass("plain", "small")}>
            <span className="button-words">{say("row.open")}</span>
          </Link>
        )}
        <Button
          look="quiet"
          small
          onClick={() => {
            close();
            permissionQuestion.set({ entity: entity.name, record: id, what: "update", field: name });
          }}
        >
          {say("why.ask")}
        </Button>
      </footer>
    </PopupPanel>
  );
};

export default CellEditor;
