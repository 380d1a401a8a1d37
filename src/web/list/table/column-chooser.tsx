import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useClient, useStore, useTools } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";

/** The visible columns: the person's choice, or the document's. */
export const useChosenColumns = (screen: ListScreenJson, entity: EntityJson): readonly string[] => {
  const { preferences } = useClient();
  const { columns } = useStore(preferences.screen(screen.path));
  const known = columns?.filter((name) => entity.fields.some((field) => field.name === name)) ?? [];
  return known.length > 0 ? known : screen.columns;
};

/** Chooses columns, their order, and row spacing. */
export const ColumnsButton = ({ screen, entity }: { screen: ListScreenJson; entity: EntityJson }) => {
  const { preferences } = useClient();
  const { say } = useWords();
  const popup = usePopup();
  const store = preferences.screen(screen.path);
  const preference = useStore(store);
  const roomy = useStore(preferences.roomy);
  const chosen = useChosenColumns(screen, entity);
  const choose = (columns: readonly string[]) => store.set({ ...preference, columns });
  const findField = (name: string) => entity.fields.find((field) => field.name === name);
  const rest = entity.fields.filter(({ name, type }) => !chosen.includes(name) && type !== "json");
  useTools({ [say("columns.title")]: popup.show });
  const shift = (at: number, by: number) => {
    const moved = [...chosen];
    const [one] = moved.splice(at, 1);
    if (one !== undefined) moved.splice(at + by, 0, one);
    choose(moved);
  };
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
        <ul className="boxes">
          {[...chosen.flatMap((name) => findField(name) ?? []), ...rest].map((field) => {
            const at = chosen.indexOf(field.name);
            return (
              <li key={field.name}>
                <label>
                  <input
                    type="checkbox"
                    checked={at >= 0}
                    disabled={at >= 0 && chosen.length === 1}
                    onChange={() =>
                      choose(at >= 0 ? chosen.filter((name) => name !== field.name) : [...chosen, field.name])
                    }
                  />
                  <bdi className="cut">{field.label}</bdi>
                </label>
                {at >= 0 && (
                  <>
                    <IconButton
                      icon="up"
                      small
                      size={14}
                      label={say("columns.earlier", { column: field.label })}
                      aria-disabled={at === 0 || undefined}
                      onClick={() => at > 0 && shift(at, -1)}
                    />
                    <IconButton
                      icon="down"
                      small
                      size={14}
                      label={say("columns.later", { column: field.label })}
                      aria-disabled={at === chosen.length - 1 || undefined}
                      onClick={() => at < chosen.length - 1 && shift(at, 1)}
                    />
                  </>
                )}
              </li>
            );
          })}
        </ul>
        <CheckBox className="columns-roomy" checked={roomy} onTurn={preferences.roomy.set}>
          {say("columns.roomy")}
        </CheckBox>
        {(preference.columns || preference.widths) && (
          <Button
            small
            onClick={() => {
              const { columns: _, widths: __, ...others } = preference;
              store.set(others);
            }}
          >
            {say("columns.reset")}
          </Button>
        )}
      </PopupPanel>
    </>
  );
};
