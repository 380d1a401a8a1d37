import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useUndoLast } from "../ui/overlay/use-undo-last.ts";
import { type ExportProps, useExportItems } from "./export/export.tsx";
import { useImportDialog } from "./import-button.tsx";

/** Less frequent actions on the whole list: import, export, print, the trash, and the permissions on its records. */
export const MoreMenu = (props: ExportProps) => {
  const { entity } = props;
  const { permissionQuestion } = useClient();
  const { trash } = useApplication();
  const { say } = useWords();
  const popup = usePopup();
  const imported = useImportDialog({ entity });
  const exported = useExportItems(props);
  const undo = useUndoLast();
  const items: readonly MenuItem[] = [
    ...(undo === null ? [] : [undo]),
    ...(imported === null
      ? []
      : [{ key: "import", label: imported.label, icon: "import", asks: true, act: imported.open } as const]),
    ...exported.items,
    // A list is where its deleted records are missed.
    ...(trash?.of.includes(entity.name)
      ? [{ key: "trash", label: say("trash.title"), icon: "delete", href: `/sign-in/trash?of=${entity.name}` } as const]
      : []),
    {
      key: "what",
      label: say("may.what"),
      icon: "why",
      asks: true,
      act: () => permissionQuestion.set({ entity: entity.name, record: null }),
    },
  ];
  return (
    <>
      <IconButton
        icon="more"
        small
        label={say("list.tools")}
        words={say("frame.more")}
        aria-haspopup="menu"
        aria-busy={exported.busy || undefined}
        {...popup.control}
      />
      <Menu popup={popup} label={say("list.tools")} items={items} />
      {imported?.dialog}
    </>
  );
};
