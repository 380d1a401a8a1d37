import { type ComponentType, useEffect } from "react";
import type { ReferenceJson } from "../../../core/wire/records.ts";
import { useClient, usePerson } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { PEOPLE } from "../../format/names.ts";
import { useWords } from "../../i18n/words.tsx";
import { OptionButton } from "../../ui/control/option-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type Popup, PopupPanel } from "../../ui/overlay/popup.tsx";
import { RecordLabel } from "./record-label.tsx";

interface Option extends ReferenceJson {
  /** The title of the part of the list in which it is. Options of one part follow each other. */
  readonly part?: string;
}

interface OptionsProps<T extends Option> {
  readonly popup: Popup;
  readonly label: string;
  /** Entity of the records. */
  readonly entity: string | undefined;
  readonly offered: readonly T[];
  /** The second line of an option. */
  readonly facts?: ComponentType<{ readonly entity: string; readonly candidate: T }> | undefined;
  readonly optionId: (one: ReferenceJson) => string;
  readonly active: ReferenceJson | null;
  readonly isChosen?: (one: ReferenceJson) => boolean;
  readonly onChoose: (one: T) => void;
  /** Shown if there are no options. */
  readonly none: string;
  /** The option that creates a record, after the others. */
  readonly creation?: {
    readonly id: string;
    readonly words: string;
    readonly isActive: boolean;
    readonly start: () => void;
  } | null;
  /** True while the options are still being searched. */
  readonly isSearching?: boolean;
}

/**
 * Options below a text box while typing: focus stays in the box, which refers to the active option. Screen readers are
 * given the number of options, since not all of them count those that appear outside the focus.
 */
export const Listbox = <T extends Option>({
  popup,
  label,
  entity,
  offered,
  facts: Facts,
  optionId,
  active,
  isChosen = () => false,
  onChoose,
  none,
  creation = null,
  isSearching = false,
}: OptionsProps<T>) => {
  const { polite } = useClient();
  const person = usePerson();
  const { say } = useWords();
  const outcome = offered.length === 0 ? none : say("options.count", { count: offered.length });
  const isAnnounced = popup.open && !isSearching;
  useEffect(() => {
    if (isAnnounced) polite.set(createAnnouncement(outcome));
  }, [isAnnounced, outcome, polite]);
  const toOption = (one: T) => (
    <OptionButton
      key={one.id}
      id={optionId(one)}
      className="option"
      isActive={one.id === active?.id}
      onChoose={() => onChoose(one)}
    >
      <span className="option-words">
        <RecordLabel entity={entity} one={one} />
        {Facts && entity !== undefined && (
          <span className="option-facts cut">
            <Facts entity={entity} candidate={one} />
          </span>
        )}
      </span>
      {entity === PEOPLE && one.id === person?.id && <span className="small-words">{say("may.as.own")}</span>}
      {isChosen(one) && <Icon name="check" />}
    </OptionButton>
  );
  return (
    <PopupPanel
      popup={popup}
      // A listbox must not be empty.
      role={offered.length > 0 || creation ? "listbox" : "dialog"}
      label={label}
      focus="none"
      manual
      className="options"
    >
      {divideIntoParts(offered).map(({ title, options }) =>
        title === undefined ? (
          options.map(toOption)
        ) : (
          <fieldset key={title} aria-label={title} className="option-part">
            <p aria-hidden="true" className="option-title">
              {title}
            </p>
            {options.map(toOption)}
          </fieldset>
        ),
      )}
      {offered.length === 0 && creation === null && <p className="option-none">{none}</p>}
      {creation && (
        <OptionButton
          id={creation.id}
          className="option option-create"
          isActive={creation.isActive}
          onChoose={creation.start}
        >
          <Icon name="plus" />
          <span className="cut">{creation.words}</span>
        </OptionButton>
      )}
    </PopupPanel>
  );
};

/** The options by the part in which they are, in order. */
const divideIntoParts = <T extends Option>(
  offered: readonly T[],
): readonly { readonly title: string | undefined; readonly options: readonly T[] }[] => {
  const titles = [...new Set(offered.map(({ part }) => part))];
  return titles.map((title) => ({ title, options: offered.filter(({ part }) => part === title) }));
};
