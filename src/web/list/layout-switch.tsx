import type { WordId } from "../../core/i18n/catalogue.ts";
import type { LayoutJson } from "../../core/wire/screens.ts";
import { useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

const layouts = {
  table: { words: "layout.table", icon: "list" },
  board: { words: "layout.board", icon: "board" },
  calendar: { words: "layout.calendar", icon: "calendar" },
  pivot: { words: "layout.pivot", icon: "table" },
} as const satisfies Record<LayoutJson["kind"], { readonly words: WordId; readonly icon: IconName }>;

/** Switches between layouts; labels are shown if there is room. */
export const LayoutSwitch = ({
  layouts: offered,
  chosen,
  onChoose,
}: {
  layouts: readonly LayoutJson[];
  chosen: LayoutJson["kind"];
  onChoose: (kind: LayoutJson["kind"]) => void;
}) => {
  const { say } = useWords();
  useTools(
    Object.fromEntries(
      offered
        .filter(({ kind }) => kind !== chosen)
        .map(({ kind }) => [
          say("label.value", { label: say("layout.choose"), value: say(layouts[kind].words) }),
          () => onChoose(kind),
        ]),
    ),
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: toggle buttons, not form controls
    <div className="layouts" role="group" aria-label={say("layout.choose")}>
      {offered.map(({ kind }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={kind === chosen}
          title={say(layouts[kind].words)}
          onClick={() => onChoose(kind)}
        >
          <Icon name={layouts[kind].icon} />
          <span className="layout-words">{say(layouts[kind].words)}</span>
        </button>
      ))}
    </div>
  );
};
