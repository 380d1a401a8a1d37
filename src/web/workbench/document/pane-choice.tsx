import { useWords } from "../../i18n/words.tsx";

export type Pane = "sheet" | "plan" | "guide" | "text" | "findings";

export interface PaneOption {
  readonly pane: Pane;
  readonly words: string;
  readonly count: number | null;
  /** The count in words, if the number alone would not say what it counts. */
  readonly countWords?: string;
}

interface PaneChoiceProps {
  readonly className: string;
  readonly options: readonly PaneOption[];
  readonly chosen: Pane;
  readonly onChoose: (pane: Pane) => void;
}

/** Buttons that show one of several panes. */
export const PaneChoice = ({ className, options, chosen, onChoose }: PaneChoiceProps) => {
  const { say } = useWords();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a choice of panes
    <div className={className} role="group" aria-label={say("workbench.panes")}>
      {options.map(({ pane, words, count, countWords }) => (
        <button key={pane} type="button" aria-pressed={chosen === pane} onClick={() => onChoose(pane)}>
          {words} {count !== null && <span className="tab-count">{countWords ?? count}</span>}
        </button>
      ))}
    </div>
  );
};
