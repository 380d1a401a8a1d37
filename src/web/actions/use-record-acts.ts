import { useMemo } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { buildRecordActs, type RecordAct } from "../workflow/record-acts.ts";

/** The acts on one record that its page and the menu of its row can show. Editing needs a form. */
export const useRecordActs = (entity: EntityJson, record: RecordJson, isOpen: boolean): readonly RecordAct[] => {
  const { screens } = useApplication();
  const { say } = useWords();
  return useMemo(
    () =>
      buildRecordActs({ entity, record, screens, isOpen }, say).filter(
        (act) => !(act.kind === "edit" && act.href === null && act.refused === null),
      ),
    [entity, record, screens, isOpen, say],
  );
};
