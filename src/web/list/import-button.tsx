import { type ReactNode, useState } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ImportSettings } from "../../core/wire/imports.ts";
import { useStore, useTools } from "../app/app-context.tsx";
import { importToShow } from "../app/import-to-show.ts";
import { PlatformWordsProvider, useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";

const ImportDialog = lazyComponent(() => import("./import/import-dialog.tsx"));

interface ImportProps {
  readonly entity: EntityJson;
  /** The record into whose list of parts the rows go. */
  readonly parent?: ImportSettings["parent"];
}

/**
 * Opens the import of a file into the list, and the dialog for it; null for people who can neither add nor change
 * records.
 */
export const useImportDialog = ({
  entity,
  parent,
}: ImportProps): { readonly label: string; readonly open: () => void; readonly dialog: ReactNode } | null => {
  const { say } = useWords();
  const [isOpen, setOpen] = useState(false);
  const toShow = useStore(importToShow);
  const earlier = parent === undefined && toShow?.path === entity.calls ? toShow.id : null;
  const label = say("list.import.title", { things: entity.many });
  const open = () => setOpen(true);
  const close = () => {
    importToShow.set(null);
    setOpen(false);
  };
  const isPossible = entity.create !== null || entity.update !== undefined;
  useTools(isPossible ? { [label]: open } : {});
  if (!isPossible) return null;
  const dialog = (isOpen || earlier !== null) && (
    <LoadingBoundary fallback={null}>
      <PlatformWordsProvider>
        <ImportDialog entity={entity} parent={parent} earlier={earlier} onClose={close} />
      </PlatformWordsProvider>
    </LoadingBoundary>
  );
  return { label, open, dialog };
};

/** Imports a file into a list of parts. */
export const ImportButton = (props: ImportProps) => {
  const { say } = useWords();
  const chosen = useImportDialog(props);
  if (chosen === null) return null;
  return (
    <>
      <IconButton
        icon="import"
        small
        label={chosen.label}
        words={say("list.import")}
        aria-haspopup="dialog"
        onClick={chosen.open}
      />
      {chosen.dialog}
    </>
  );
};
