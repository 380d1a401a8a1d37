import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useLocale } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { ActDialog } from "../../ui/page/act-dialog.tsx";
import { getNames } from "./deputy-form.ts";
import { useEndArrangement } from "./use-end-arrangement.ts";

interface EndArrangementProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** “Cleo Stone stands in for Ada Brown”. */
  readonly sentence: string;
  readonly onClose: () => void;
}

/** Asks an administrator before somebody else’s arrangement ends, because only that person can name a deputy again. */
const EndArrangement = ({ entity, record, sentence, onClose }: EndArrangementProps) => {
  const { say, show } = useWords();
  const { today } = useLocale();
  const hasBegun = String(record.first_day) <= today;
  const end = useEndArrangement(entity, null);
  const names = getNames(record, show);
  return (
    <ActDialog
      title={say(hasBegun ? "deputies.end.title" : "deputies.remove.title")}
      act={say(hasBegun ? "deputies.end.short" : "deputies.remove.short")}
      busy={end.isPending}
      error={end.error}
      failed={say("deputies.failed")}
      // Closed once its row is gone: the focus then moves to what is left.
      onSubmit={() => end.mutate(record, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="dialog-words">
        {sentence}
        <br />
        {names.days}
      </p>
      <p className="dialog-words">{say(hasBegun ? "deputies.end.words" : "deputies.remove.words", names)}</p>
    </ActDialog>
  );
};

export default EndArrangement;
