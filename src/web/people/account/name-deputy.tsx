import { useState } from "react";
import { DEPUTY } from "../../../core/model/permissions.ts";
import type { HandedWorkJson } from "../../../core/wire/application.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useApplication, useClient, useLocale, usePerson } from "../../app/app-context.tsx";
import { FormDialog } from "../../form/form-dialog.tsx";
import { type OneShotForm, useOneShotForm } from "../../form/use-one-shot-form.tsx";
import { addDays } from "../../format/dates.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { isReference } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { useWhileMounted } from "../../util/use-while-mounted.ts";
import { atFields, getNames, isAwayIn, readDay, TWICE, withTaken } from "./deputy-form.ts";
import { findFreeDay, findInPeriod, findRoom, getPeriod, type Period } from "./deputy-periods.ts";
import { HandedOver } from "./handed-over.tsx";
import { useArrangements } from "./use-arrangements.ts";

/** The dialog once it is known which days are taken, unless that can’t be loaded. */
const NameDeputyHost = ({ onClose }: { readonly onClose: () => void }) => {
  const { deputies, entities } = useApplication();
  const person = usePerson();
  const entity = entities[DEPUTY];
  return person === null || !entity?.create || !deputies ? null : (
    <Known entity={entity} work={deputies} person={person.id} onClose={onClose} />
  );
};

export default NameDeputyHost;

const Known = (props: Omit<NameDeputyProps, "known">) => {
  const query = useArrangements(props.entity, props.person);
  const isKnown = query.isFetched || query.failureCount > 0;
  return isKnown ? <NameDeputy {...props} known={query.data ?? []} /> : null;
};

interface NameDeputyProps {
  readonly entity: EntityJson;
  readonly work: HandedWorkJson;
  readonly person: string;
  /** The arrangements of this person, and those in which this person is the deputy. */
  readonly known: readonly RecordJson[];
  readonly onClose: () => void;
}

/**
 * The dialog in which people name their deputy. It says which days are taken, and can end or remove what is in the way.
 */
const NameDeputy = ({ entity, work, person, known, onClose }: NameDeputyProps) => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const context = useLocale();
  const toast = useToast();
  const close = useWhileMounted(onClose);
  const [yielding, setYielding] = useState<ReadonlySet<string>>(new Set());
  const own = known.filter((record) => isAwayIn(record, person));
  const free = findFreeDay(own, context.today);
  const before = own.find(({ last_day }) => addDays(String(last_day), 1) === free);
  const namesIn = (record: RecordJson) => getNames(record, show);
  const fields = entity.fields
    .filter(({ name }) => entity.create?.includes(name) === true)
    .map((field) =>
      field.name === "first_day"
        ? {
            ...field,
            default: { value: free },
            ...(before !== undefined && free > context.today && { help: say("deputies.free", namesIn(before)) }),
          }
        : field,
    );
  const findTaken = (period: Period | null) => findInPeriod(own, period);
  /** The sentence about the deputy whom the person has on one of these days; undefined if there is none. */
  const sayTaken = (period: Period | null): string | undefined => {
    const [taken] = findTaken(period).filter(({ id }) => !yielding.has(id));
    return taken && say("deputies.taken", namesIn(taken));
  };
  // An arrangement in the way can end meanwhile, here or elsewhere.
  const sentAlong = [...known.map(({ id, version }) => `${id} ${version}`), ...yielding].join("\n");
  const about = { entity, transition: null, sentAlong };
  const form = useOneShotForm("create", fields, null, about, async (body, key) => {
    const period = { first: String(body.first_day), last: String(body.last_day) };
    let named: RecordJson;
    try {
      const gone = findTaken(period).filter(({ id }) => yielding.has(id));
      named = await calls.nameDeputy(
        body,
        gone.flatMap((record) => toEnd(record, period.first)),
        key,
      );
    } catch (thrown) {
      void reload(queries, { queryKey: keys.of(entity.calls) });
      throw atFields(thrown, sayTaken(period));
    }
    const isNow = String(named.first_day) <= context.today;
    toast(say(isNow ? "deputies.named.now" : "deputies.named", namesIn(named)));
    await reload(queries, { queryKey: keys.of(entity.calls) });
    close();
  });
  const days = readPeriod(form.form, context);
  const shown = readDay(form.form, "first_day", context) === free ? form : withoutProposal(form);
  const taken = sayTaken(days);
  const chosen = form.form.entered.deputy;
  const [away] = findInPeriod(known, days).filter(
    (record) =>
      isReference(record.person) && typeof chosen === "object" && isReference(chosen) && record.person.id === chosen.id,
  );
  return (
    <FormDialog
      oneShot={taken === undefined ? shown : withTaken(shown, taken)}
      opensAtOnce
      before={<HandedOver work={work} />}
      after={
        <>
          {days !== null &&
            findTaken(days).map((record) => {
              const room = findRoom(record, days.first);
              const { last } = getPeriod(record);
              return (
                room !== null && (
                  <CheckBox
                    key={record.id}
                    checked={yielding.has(record.id)}
                    onTurn={(yields) => {
                      setYielding((now) => new Set([...now, record.id].filter((id) => yields || id !== record.id)));
                      form.change(withoutTaken);
                    }}
                  >
                    {room.kind === "end"
                      ? say("deputies.yield.end", { ...namesIn(record), last: show.shortDays(room.last, room.last) })
                      : say("deputies.yield.remove", { ...namesIn(record), last: show.shortDays(last, last) })}
                  </CheckBox>
                )
              );
            })}
          {away && (
            <p className="small-words" role="status">
              {say("deputies.away", namesIn(away))}
            </p>
          )}
        </>
      }
      title={say("deputies.name")}
      act={say("deputies.name.do")}
      refused={say("deputies.not.named")}
      onClose={onClose}
    />
  );
};

/** The arrangement with the last day on which it makes room, or null to remove it. */
const toEnd = (record: RecordJson, from: string) => {
  const room = findRoom(record, from);
  const { id, version } = record;
  return room === null ? [] : [{ id, version, last_day: room.kind === "end" ? room.last : null }];
};

/** The days that are entered; null unless both can be read. */
const readPeriod = (form: OneShotForm["form"], context: LocaleContext): Period | null => {
  const [first, last] = [readDay(form, "first_day", context), readDay(form, "last_day", context)];
  return first && last ? { first, last } : null;
};

/** The form without the words about the first free day, once another day is entered. */
const withoutProposal = (oneShot: OneShotForm): OneShotForm => ({
  ...oneShot,
  form: {
    ...oneShot.form,
    fields: oneShot.form.fields.map((field) => {
      const { help: _, ...others } = field;
      return field.name === "first_day" ? others : field;
    }),
  },
});

/** The form without the refusal of taken days, once something is to make room. */
const withoutTaken = (form: OneShotForm["form"]): OneShotForm["form"] => ({
  ...form,
  errors: form.errors.filter(({ clause }) => clause !== TWICE),
});
