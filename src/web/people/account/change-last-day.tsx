import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useClient, useLocale } from "../../app/app-context.tsx";
import { FormDialog } from "../../form/form-dialog.tsx";
import { useOneShotForm } from "../../form/use-one-shot-form.tsx";
import { isReference } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { useWhileMounted } from "../../util/use-while-mounted.ts";
import { atFields, getNames, isAwayIn, readDay, withTaken } from "./deputy-form.ts";
import { findInPeriod } from "./deputy-periods.ts";

interface ChangeLastDayProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** The arrangements of the person who is away, from today on. */
  readonly known: readonly RecordJson[];
  /** True if it is the user who is away. */
  readonly isOwn: boolean;
  /** “Cleo Stone stands in for you”. */
  readonly sentence: string;
  readonly onClose: () => void;
}

/** Changes the last day of an arrangement, with the checks that apply when a deputy is named. */
const ChangeLastDay = ({ entity, record, known, isOwn, sentence, onClose }: ChangeLastDayProps) => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const context = useLocale();
  const toast = useToast();
  const close = useWhileMounted(onClose);
  const first = String(record.first_day);
  const away = isReference(record.person) ? record.person.id : "";
  const others = known.filter((one) => one.id !== record.id && isAwayIn(one, away));
  const namesIn = (one: RecordJson) => getNames(one, show);
  const findTaken = (last: string | null): string | undefined => {
    const [taken] = findInPeriod(others, last === null ? null : { first, last });
    return taken && say(isOwn ? "deputies.change.taken.own" : "deputies.change.taken", namesIn(taken));
  };
  const fields = entity.fields.filter(({ name }) => name === "last_day");
  const form = useOneShotForm("update", fields, record, { entity, transition: null }, async (body) => {
    let changed: RecordJson;
    try {
      changed = await calls.change(entity.calls, record.id, record.version, body);
    } catch (thrown) {
      void reload(queries, { queryKey: keys.of(entity.calls) });
      throw atFields(thrown, findTaken(String(body.last_day)));
    }
    toast(say(isOwn ? "deputies.changed.own" : "deputies.changed", namesIn({ ...record, ...changed })));
    await reload(queries, { queryKey: keys.of(entity.calls) });
    close();
  });
  const taken = findTaken(readDay(form.form, "last_day", context));
  return (
    <FormDialog
      oneShot={taken === undefined ? form : withTaken(form, taken)}
      of={{ record: record.id }}
      before={
        <p className="small-words">
          {sentence}
          <br />
          {namesIn(record).days}
        </p>
      }
      title={say("deputies.change.title")}
      act={say("deputies.change.do")}
      refused={say("deputies.not.changed")}
      onClose={onClose}
    />
  );
};

export default ChangeLastDay;
