import { areReferences } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAnnounce } from "../ui/overlay/toast.tsx";
import { RecordLabel } from "./control/record-label.tsx";
import type { InputProps } from "./field.ts";
import { ReferenceSearchBox } from "./input/reference-input.tsx";

/** Several records, each with a remove button, and a search box to add more. */
export const ReferencesInput = (props: InputProps) => {
  const { field, id, entered, onEnter } = props;
  const { say } = useWords();
  const { politely } = useAnnounce();
  const chosen = areReferences(entered) ? entered : [];
  const take = (taken: string) => {
    const removed = chosen.find((one) => one.id === taken);
    if (removed === undefined) return;
    onEnter(chosen.filter((one) => one !== removed));
    politely(say("references.removed", { one: removed.label }));
  };
  return (
    <ReferenceSearchBox
      {...props}
      words=""
      without={chosen}
      isChosen={() => false}
      onChoose={(one) => {
        onEnter([...chosen, one]);
        politely(say("references.added", { one: one.label }));
      }}
      onEmpty={() => take(chosen.at(-1)?.id ?? "")}
      before={
        chosen.length === 0
          ? undefined
          : chosen.map((one) => (
              <span className="taken" key={one.id}>
                <RecordLabel entity={field.entity} one={one} />
                <button
                  type="button"
                  aria-label={say("reference.clear", { field: one.label })}
                  onClick={() => {
                    take(one.id);
                    document.getElementById(id)?.focus();
                  }}
                >
                  <Icon name="close" size={14} />
                </button>
              </span>
            ))
      }
    />
  );
};
