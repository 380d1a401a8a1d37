import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";

const ColumnChoices = lazyComponent(() => import("./column-choices.tsx"), PageNotLoaded);

/** Chooses columns, their order, and row spacing. */
export const ColumnsButton = ({ screen, entity }: { screen: ListScreenJson; entity: EntityJson }) => {
  const { say } = useWords();
  const popup = usePopup();
  useTools({ [say("columns.title")]: popup.show });
  return (
    <>
      <IconButton
        icon="settings"
        small
        label={say("columns.title")}
        words={say("columns.short")}
        aria-haspopup="dialog"
        {...popup.control}
      />
      <PopupPanel popup={popup} side="end" label={say("columns.title")} className="columns-popup">
        <LoadingBoundary fallback={null}>
          <ColumnChoices screen={screen} entity={entity} popup={popup} />
        </LoadingBoundary>
      </PopupPanel>
    </>
  );
};
