import { useEffect, useRef } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import { useWords } from "../i18n/words.tsx";
import { RefusalPanel } from "../permissions/explain-button.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { listActsInstead, listTransitionActs, type RecordAct } from "../workflow/record-acts.ts";

interface RefusedActPanelProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly act: RecordAct;
  readonly why: WhyNot;
  /** The control beside which it opens: by default the one that has the focus again after its menu was closed. */
  readonly anchor?: HTMLElement | null | undefined;
  readonly perform: (act: RecordAct) => void;
  readonly onClose: () => void;
}

/** Explains a refused act that was chosen in a menu or in the palette, like the button of a refused act does. */
export const RefusedActPanel = ({ entity, record, act, why, anchor, perform, onClose }: RefusedActPanelProps) => {
  const { say } = useWords();
  const popup = usePopup<HTMLElement>();
  const { show, open, anchor: popupAnchor } = popup;
  useEffect(() => {
    const { activeElement, body } = document;
    const inFocus = activeElement instanceof HTMLElement && activeElement !== body ? activeElement : null;
    popupAnchor.current = anchor ?? inFocus ?? document.querySelector("h1");
    show();
  }, [anchor, popupAnchor, show]);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) onClose();
    wasOpen.current = open;
  }, [open, onClose]);
  return (
    <RefusalPanel
      popup={popup}
      side="start"
      title={say("why.title", { action: act.label })}
      why={why}
      question={{ what: `${entity.name}.${act.explainedAs}`, record: record.id }}
      instead={{ acts: listActsInstead(listTransitionActs(entity, record), act), perform }}
    />
  );
};
