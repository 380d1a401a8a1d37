import { useEffect, useRef, useState } from "react";
import { DEPUTY } from "../../core/model/permissions.ts";
import type { HandedWorkJson } from "../../core/wire/application.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toLastFailure } from "../api/api-error.ts";
import { useAddress, useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { followFocus } from "../app/return-focus.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords, type Words } from "../i18n/words.tsx";
import { SHOW_DEPUTIES } from "../routing/platform-pages.ts";
import { Button } from "../ui/control/button.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { isAwayIn } from "./account/deputy-form.ts";
import { HandedOver, HandedWork } from "./account/handed-over.tsx";
import { useArrangements } from "./account/use-arrangements.ts";
import { canNameAgain, useEndArrangement } from "./account/use-end-arrangement.ts";

const EndArrangement = lazyDialog(() => import("./account/end-arrangement.tsx"));
const ChangeLastDay = lazyDialog(() => import("./account/change-last-day.tsx"));

/** The deputies of a person, and those for whom the person stands in, from today on. `own`: it is the user. */
export const DeputyList = ({ person, own }: { person: string; own: boolean }) => {
  const { deputies, entities } = useApplication();
  const entity = entities[DEPUTY];
  return deputies === undefined || entity === undefined ? null : (
    <DeputiesOf entity={entity} work={deputies} person={person} own={own} />
  );
};

interface DeputiesOfProps {
  readonly entity: EntityJson;
  /** The work that the user hands over. */
  readonly work: HandedWorkJson | null;
  readonly person: string;
  readonly own: boolean;
}

const DeputiesOf = ({ entity, work, person, own }: DeputiesOfProps) => {
  const { namingDeputy } = useClient();
  const words = useWords();
  const { say } = words;
  const { today } = useLocale();
  const { standIns = [] } = useApplication();
  const { search } = useAddress();
  const [ending, setEnding] = useState<RecordJson | null>(null);
  const [changing, setChanging] = useState<RecordJson | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const user = own ? person : null;
  const end = useEndArrangement(entity, user);
  const canName = own && work !== null && entity.create !== null;
  const query = useArrangements(entity, person);
  const records = query.data ?? [];
  const isShown = own && search === SHOW_DEPUTIES && query.isSuccess;
  useEffect(() => {
    if (!isShown) return;
    title.current?.scrollIntoView();
    title.current?.focus({ preventScroll: true });
  }, [isShown]);
  const handed = listHanded(records, user, work, (id) => standIns.find((one) => one.id === id)?.handed ?? null);
  const startEnd = (record: RecordJson): void => {
    const moveOn = followFocus(document.activeElement);
    if (!canNameAgain(entity, record, user)) setEnding(record);
    else if (!end.isPending) end.mutate(record, { onSuccess: moveOn });
  };
  // Somebody without a role to hand over needs the section only as a deputy of others.
  if (own && work === null && records.length === 0) return null;
  return (
    <section aria-labelledby="deputies" className="people-part">
      <h2 ref={title} id="deputies" tabIndex={-1}>
        {say("deputies.title")}
      </h2>
      {own && work !== null && <HandedOver work={work} />}
      {query.error && !query.data ? (
        <FailedRegion failure={toLastFailure(query.error)} retry={() => void query.refetch()} />
      ) : records.length === 0 ? (
        !query.isPending && <p className="none">{say("deputies.none")}</p>
      ) : (
        <ul className="sessions">
          {records.map((record, nth) => (
            <Row
              key={record.id}
              record={record}
              person={user}
              isEnding={end.isPending && end.variables.id === record.id}
              handed={handed[nth] ?? null}
              onChange={() => setChanging(record)}
              onEnd={() => startEnd(record)}
            />
          ))}
        </ul>
      )}
      {canName && (
        <Button small onClick={() => namingDeputy.set(true)}>
          {say("deputies.name")}
        </Button>
      )}
      {changing && (
        <LoadingBoundary fallback={null}>
          <ChangeLastDay
            entity={entity}
            record={changing}
            known={records}
            isOwn={own && isAwayIn(changing, person)}
            sentence={inWords(changing, user, today, words)}
            onClose={() => setChanging(null)}
          />
        </LoadingBoundary>
      )}
      {ending && (
        <LoadingBoundary fallback={null}>
          <EndArrangement
            entity={entity}
            record={ending}
            sentence={inWords(ending, user, today, words)}
            onClose={() => setEnding(null)}
          />
        </LoadingBoundary>
      )}
    </section>
  );
};

/** The work of others that the user does, or that it is the same as the work said before. */
type HandedInRow = HandedWorkJson | "same" | null;

/**
 * The work for each arrangement. Above the list, it says what the user hands over; the same lines are not said again one
 * under the other.
 */
const listHanded = (
  records: readonly RecordJson[],
  user: string | null,
  own: HandedWorkJson | null,
  find: (id: string) => HandedWorkJson | null,
): readonly HandedInRow[] => {
  const toLines = (work: HandedWorkJson | null) => work && [...work.acts, work.more === true].join("\n");
  let said = user === null ? null : toLines(own);
  return records.map((record) => {
    const work = user !== null && isAwayIn(record, user) ? null : find(record.id);
    const lines = toLines(work);
    if (lines === null) return null;
    if (lines === said) return "same";
    said = lines;
    return work;
  });
};

interface RowProps {
  readonly record: RecordJson;
  /** The user, on their own account page. */
  readonly person: string | null;
  /** The work that is handed over; null if it is not known or said here. */
  readonly handed: HandedInRow;
  readonly isEnding: boolean;
  readonly onChange: () => void;
  readonly onEnd: () => void;
}

const namesIn = (record: RecordJson) => {
  const [person, deputy] = [record.person, record.deputy].map((item) => (isReference(item) ? item.label : "…"));
  return { person: person ?? "…", deputy: deputy ?? "…" };
};

/** Sentences about arrangements in force, and about those that begin later. */
const NOW = { forYou: "deputies.for.you", you: "deputies.you", other: "deputies.for" } as const;
const COMING = { forYou: "deputies.coming.for.you", you: "deputies.coming.you", other: "deputies.coming.for" } as const;

/** “Cleo Stone stands in for you”, to the user with the id `person`; “will stand in” if it begins after today. */
const inWords = (record: RecordJson, person: string | null, today: string, { say }: Words): string => {
  const sentences = String(record.first_day) <= today ? NOW : COMING;
  const [away, deputy] = [record.person, record.deputy].map((item) => (isReference(item) ? item : null));
  const names = namesIn(record);
  return person !== null && away?.id === person
    ? say(sentences.forYou, names)
    : person !== null && deputy?.id === person
      ? say(sentences.you, names)
      : say(sentences.other, names);
};

const Row = ({ record, person, handed, isEnding, onChange, onEnd }: RowProps) => {
  const words = useWords();
  const { say, show } = words;
  const { today } = useLocale();
  const [first, last] = [String(record.first_day), String(record.last_day)];
  const sentence = inWords(record, person, today, words);
  const hasBegun = first <= today;
  return (
    <li>
      <div className="grow">
        <p>
          {sentence}
          {hasBegun && <span className="sessions-here">{say("deputies.now")}</span>}
        </p>
        <p className="small-words">{show.shortDays(first, last)}</p>
        {handed === "same" && (
          <p className="small-words">{say(hasBegun ? "deputies.same" : "deputies.coming.same", namesIn(record))}</p>
        )}
        {handed !== null && handed !== "same" && (
          <HandedWork
            before={say(hasBegun ? "deputies.acts" : "deputies.coming.acts", namesIn(record))}
            work={handed}
          />
        )}
      </div>
      {record.may?.update?.includes("last_day") === true && (
        <Button small aria-label={say("deputies.change", { sentence })} onClick={onChange}>
          {say("deputies.change.row")}
        </Button>
      )}
      {record.may?.delete === true && (
        <Button
          small
          busy={isEnding}
          aria-label={say(hasBegun ? "deputies.end" : "deputies.remove", { sentence })}
          onClick={onEnd}
        >
          {say(hasBegun ? "deputies.end.row" : "deputies.remove.short")}
        </Button>
      )}
    </li>
  );
};
