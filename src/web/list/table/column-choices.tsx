import { useEffect } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { focusFirst, type Popup } from "../../ui/overlay/popup.tsx";
import { useChosenColumns } from "./use-chosen-columns.ts";

interface ColumnChoicesProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly popup: Popup;
}

/** Choices of columns, their order, and row spacing. */
const ColumnChoices = ({ screen, entity, popup }: ColumnChoicesProps) => {
  const { preferences } = useClient();
  const { say } = useWords();
  const store = preferences.screen(screen.path);
  const preference = useStore(store);
  const roomy = useStore(preferences.roomy);
  const chosen = useChosenColumns(screen, entity);
  const choose = (columns: readonly string[]) => store.set({ ...preference, columns });
  const findField = (name: string) => entity.fields.find((field) => field.name === name);
  const rest = entity.fields.filter(({ name, type }) => !chosen.includes(name) && type !== "json");
  // The panel opens before this code is loaded.
  useEffect(() => focusFirst(popup.panel.current), [popup.panel]);
  const shift = (at: number, by: number) => {
    const moved = [...chosen];
    const [one] = moved.splice(at, 1);
    if (one !== undefined) moved.splice(at + by, 0, one);
    choose(moved);
  };
  return (
    <>
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
    </>
  );
};

export default ColumnChoices;
