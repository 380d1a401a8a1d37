import { Suspense, useState } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ImportSettings } from "../../core/wire/imports.ts";
import { useStore, useTools } from "../app/app-context.tsx";
import { importToShow } from "../app/import-to-show.ts";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";

const ImportDialog = lazyComponent(() => import("./import/import-dialog.tsx"));

interface ImportButtonProps {
  readonly entity: EntityJson;
  /** The record into whose list of parts the rows go. */
  readonly parent?: ImportSettings["parent"];
}

/** Imports a file into the list; absent for people who can neither add nor change records. */
export const ImportButton = ({ entity, parent }: ImportButtonProps) => {
  const { say } = useWords();
  const [isOpen, setOpen] = useState(false);
  const toShow = useStore(importToShow);
  const earlier = parent === undefined && toShow?.path === entity.calls ? toShow.id : null;
  const close = () => {
    importToShow.set(null);
    setOpen(false);
  };
  const isPossible = entity.create !== null || entity.update !== undefined;
  useTools(isPossible ? { [say("import.title", { things: entity.many })]: () => setOpen(true) } : {});
  if (!isPossible) return null;
  return (
    <>
      <IconButton
        icon="import"
        small
        label={say("import.title", { things: entity.many })}
        words={say("import.do")}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {(isOpen || earlier !== null) && (
        <Suspense fallback={null}>
          <ImportDialog entity={entity} parent={parent} earlier={earlier} onClose={close} />
        </Suspense>
      )}
    </>
  );
};
