import type { EntityJson, FollowJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication, useLocale } from "../app/app-context.tsx";
import { keepTogether } from "../format/format.ts";
import { getValue } from "../format/record-values.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import type { NextWaiting } from "../record/use-next-task.ts";
import { recordAddress } from "../routing/routes.ts";
import { Link } from "../ui/link.tsx";
import { useFollowNames } from "../workflow/effects-preview.ts";
import { nextAutomaticTransition, nextReminder } from "../workflow/workflow.ts";

/** A link to the next record that needs the same action, or the words that there is none. */
export const NextRecord = ({ entity, next }: { entity: EntityJson; next: NextWaiting }) => {
  const { screens } = useApplication();
  const { say, rich } = useWords();
  const { record } = next;
  if (record === null) return <span>{say("record.waiting.none", { things: entity.many })}</span>;
  const address = recordAddress(screens, entity.name, record.id);
  if (address === null) return null;
  return (
    <span>
      {rich("record.waiting", {
        label: (
          <Link className="link" href={address}>
            <bdi>{keepTogether(record.label)}</bdi>
          </Link>
        ),
      })}
    </span>
  );
};

/** The next automatic transition and the next reminder. */
export const UpcomingEvents = (record: { entity: EntityJson; record: RecordJson }) => (
  <>
    <UpcomingTransitions {...record} />
    <UpcomingReminder {...record} />
  </>
);

const UpcomingTransitions = ({ entity, record }: { entity: EntityJson; record: RecordJson }) => {
  const { say, show } = useWords();
  const ahead = nextAutomaticTransition(entity, record, useLocale().today);
  if (ahead === null) return null;
  const { at, state } = ahead;
  const when = at.length > 10 ? (isSoon(at) ? show.moment(at) : show.dayOf(at)) : show.date(at);
  return <span>{say("standing.ahead", { state: state.label, when })}</span>;
};

/** The next reminder, with the people whom it reminds. */
const UpcomingReminder = ({ entity, record }: { entity: EntityJson; record: RecordJson }) => {
  const { say, show } = useWords();
  const { person } = useApplication();
  const { listNames, listSome } = useFollowNames();
  const ahead = nextReminder(entity, record);
  if (ahead === null) return null;
  const { at, reminder } = ahead;
  const when = isSoon(at) ? show.moment(at) : show.dayOf(at);
  const isReader = ({ field }: FollowJson): boolean => {
    const value = field === undefined ? undefined : getValue(record, field);
    return isReference(value) && value.id === person?.id;
  };
  const names = reminder.follows
    .filter(({ kind }) => kind === "tell")
    .flatMap((follow) => (isReader(follow) ? [say("standing.you")] : listNames(follow, [record])));
  return (
    <span>
      {names.length === 0
        ? say("standing.reminder", { when })
        : say("standing.reminds", { what: listSome(names), when })}
    </span>
  );
};

/** Within two days, the time of day is shown. */
const isSoon = (at: string): boolean => Date.parse(at) - Date.now() < 2 * 86_400_000;
