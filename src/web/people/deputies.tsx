import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { CallFailed, toFailure, toLastFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useAddress, useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { readFormField } from "../field/form-values.ts";
import { FormDialog } from "../form/form-dialog.tsx";
import { type OneShotForm, useOneShotForm } from "../form/use-one-shot-form.tsx";
import { addDays } from "../format/dates.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords, type Words } from "../i18n/words.tsx";
import { NAME_DEPUTY } from "../routing/platform-pages.ts";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { ActDialog } from "../ui/page/act-dialog.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";

/** The entity whose records say who stands in for whom. */
const DEPUTY = "Deputy";

const MOST = 50;

/** The deputies of a person, and those for whom the person stands in, from today on. `own`: it is the user. */
export const DeputyList = ({ person, own }: { person: string; own: boolean }) => {
  const { deputies, entities } = useApplication();
  const entity = entities[DEPUTY];
  return deputies === undefined || entity === undefined ? null : (
    <DeputiesOf entity={entity} roles={deputies} person={person} own={own} />
  );
};

interface DeputiesOfProps {
  readonly entity: EntityJson;
  /** The titles of the roles that the user hands over. */
  readonly roles: readonly string[];
  readonly person: string;
  readonly own: boolean;
}

const DeputiesOf = ({ entity, roles, person, own }: DeputiesOfProps) => {
  const { calls, navigation } = useClient();
  const { say, show } = useWords();
  const { today } = useLocale();
  const { screens } = useApplication();
  const { path, search } = useAddress();
  const [naming, setNaming] = useState(false);
  const [ending, setEnding] = useState<RecordJson | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const canName = own && roles.length > 0 && entity.create !== null;
  const isAsked = canName && search === NAME_DEPUTY;
  const parameters = (side: "person" | "deputy") =>
    new URLSearchParams({
      [side]: person,
      "last_day>": today,
      sort: "first_day",
      limit: String(limitPage(screens, MOST)),
      may: "true",
    });
  const query = useQuery({
    queryKey: [...keys.of(entity.calls), "of", person],
    queryFn: async ({ signal }) => {
      const [away, standing] = await Promise.all(
        (["person", "deputy"] as const).map((side) => calls.list(entity.calls, parameters(side), signal)),
      );
      return [...(away?.items ?? []), ...(standing?.items ?? [])];
    },
  });
  const records = query.data ?? [];
  // The form begins on the first free day, which the arrangements tell unless they can’t be loaded.
  const isKnown = query.isFetched || query.failureCount > 0;
  // Somebody without a role to hand over needs the section only as a deputy of others.
  if (own && roles.length === 0 && records.length === 0) return null;
  return (
    <section aria-labelledby="deputies" className="people-part">
      <h2 id="deputies" tabIndex={-1}>
        {say("deputies.title")}
      </h2>
      {own && roles.length > 0 && <p className="small-words">{say("deputies.words", { roles: show.list(roles) })}</p>}
      {query.error && !query.data ? (
        <FailedRegion failure={toLastFailure(query.error)} retry={() => void query.refetch()} />
      ) : records.length === 0 ? (
        !query.isPending && <p className="none">{say("deputies.none")}</p>
      ) : (
        <ul className="sessions">
          {records.map((record) => (
            <Row key={record.id} record={record} person={own ? person : null} onEnd={() => setEnding(record)} />
          ))}
        </ul>
      )}
      {canName && (
        <Button ref={opener} small onClick={() => setNaming(true)}>
          {say("deputies.name")}
        </Button>
      )}
      {ending && (
        <EndDialog entity={entity} record={ending} person={own ? person : null} onClose={() => setEnding(null)} />
      )}
      {(naming || isAsked) && isKnown && (
        <NameDeputy
          entity={entity}
          roles={roles}
          person={person}
          known={records}
          onClose={() => {
            setNaming(false);
            if (!isAsked) return;
            navigation.go(path, "replace");
            // No control of this page opened the dialog, so the focus has nowhere to return.
            setTimeout(() => opener.current?.focus());
          }}
        />
      )}
    </section>
  );
};

interface RowProps {
  readonly record: RecordJson;
  /** The user, on their own account page. */
  readonly person: string | null;
  readonly onEnd: () => void;
}

/** “Cleo Stone stands in for you”, to the user with the id `person`. */
const inWords = (record: RecordJson, person: string | null, { say }: Words): string => {
  const [away, deputy] = [record.person, record.deputy].map((item) => (isReference(item) ? item : null));
  const names = { deputy: deputy?.label ?? "…", person: away?.label ?? "…" };
  return person !== null && away?.id === person
    ? say("deputies.for.you", names)
    : person !== null && deputy?.id === person
      ? say("deputies.you", names)
      : say("deputies.for", names);
};

const Row = ({ record, person, onEnd }: RowProps) => {
  const words = useWords();
  const { say, show } = words;
  const { today } = useLocale();
  const [first, last] = [String(record.first_day), String(record.last_day)];
  const sentence = inWords(record, person, words);
  const hasBegun = first <= today;
  return (
    <li>
      <div className="grow">
        <p>
          {sentence}
          {hasBegun && <span className="sessions-here">{say("deputies.now")}</span>}
        </p>
        <p className="small-words">{show.days(first, last)}</p>
      </div>
      {record.may?.delete === true && (
        <Button small aria-label={say(hasBegun ? "deputies.end" : "deputies.remove", { sentence })} onClick={onEnd}>
          {say(hasBegun ? "sessions.end.short" : "deputies.remove.short")}
        </Button>
      )}
    </li>
  );
};

interface EndDialogProps extends Pick<RowProps, "record" | "person"> {
  readonly entity: EntityJson;
  readonly onClose: () => void;
}

/** Asks before an arrangement ends, because deputies are not kept in the trash. */
const EndDialog = ({ entity, record, person, onClose }: EndDialogProps) => {
  const { calls, queries } = useClient();
  const words = useWords();
  const { say, show } = words;
  const toast = useToast();
  const { today } = useLocale();
  const hasBegun = String(record.first_day) <= today;
  const end = useMutation({
    mutationFn: () => calls.remove(entity.calls, record.id, record.version),
    onSuccess: () => toast(say(hasBegun ? "deputies.ended" : "deputies.removed")),
    onSettled: () => reload(queries, { queryKey: keys.of(entity.calls) }),
  });
  return (
    <ActDialog
      title={say(hasBegun ? "deputies.end.title" : "deputies.remove.title")}
      act={say(hasBegun ? "sessions.end.short" : "deputies.remove.short")}
      look="danger"
      busy={end.isPending}
      error={end.error}
      failed={say("deputies.failed")}
      // Closed once its row is gone: the focus then moves to what is left.
      onSubmit={() => end.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="dialog-words">
        {inWords(record, person, words)}
        <br />
        {show.days(String(record.first_day), String(record.last_day))}
      </p>
      <p className="dialog-words">{say(hasBegun ? "deputies.end.words" : "deputies.remove.words")}</p>
    </ActDialog>
  );
};

/** The error that a person has another deputy on these days. */
const TWICE = `5.${DEPUTY}.DEPUTY_TWICE`;

interface NameDeputyProps {
  readonly entity: EntityJson;
  readonly roles: readonly string[];
  readonly person: string;
  /** The arrangements of this person, and those in which this person is the deputy. */
  readonly known: readonly RecordJson[];
  readonly onClose: () => void;
}

/** The dialog in which people name their deputy. It says which days are taken. */
const NameDeputy = ({ entity, roles, person, known, onClose }: NameDeputyProps) => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const context = useLocale();
  const toast = useToast();
  const close = useWhileMounted(onClose);
  const isAwayIn = (record: RecordJson) => isReference(record.person) && record.person.id === person;
  const free = findFreeDay(known.filter(isAwayIn), context.today);
  const before = known.filter(isAwayIn).find(({ last_day }) => addDays(String(last_day), 1) === free);
  const namesIn = (record: RecordJson) => ({
    days: show.days(String(record.first_day), String(record.last_day)),
    deputy: isReference(record.deputy) ? record.deputy.label : "…",
    person: isReference(record.person) ? record.person.label : "…",
  });
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
  /** The sentence about the deputy whom the person has on one of these days; undefined if there is none. */
  const sayTaken = (period: Period | null): string | undefined => {
    const [taken] = findInPeriod(known, period).filter(isAwayIn);
    return taken && say("deputies.taken", namesIn(taken));
  };
  const form = useOneShotForm("create", fields, null, { entity, transition: null }, async (body, key) => {
    let named: RecordJson;
    try {
      named = await calls.create(entity.calls, body, key);
    } catch (thrown) {
      throw wordTaken(thrown, sayTaken({ first: String(body.first_day), last: String(body.last_day) }));
    }
    toast(say("deputies.named", namesIn(named)));
    await reload(queries, { queryKey: keys.of(entity.calls) });
    close();
  });
  const days = readPeriod(form.form, context);
  const taken = sayTaken(days);
  const chosen = form.form.entered.deputy;
  const [away] = findInPeriod(known, days).filter(
    (record) =>
      isReference(record.person) && typeof chosen === "object" && isReference(chosen) && record.person.id === chosen.id,
  );
  return (
    <FormDialog
      oneShot={taken === undefined ? form : withTaken(form, taken)}
      before={<p className="small-words">{say("deputies.words", { roles: show.list(roles) })}</p>}
      after={
        away && (
          <p className="small-words" role="status">
            {say("deputies.away", namesIn(away))}
          </p>
        )
      }
      title={say("deputies.name")}
      act={say("deputies.name.do")}
      refused={say("deputies.not.named")}
      onClose={onClose}
    />
  );
};

/** The first day, from today on, that none of these arrangements has. */
const findFreeDay = (records: readonly RecordJson[], today: string): string =>
  records
    .map(({ first_day, last_day }) => ({ first: String(first_day), last: String(last_day) }))
    .toSorted((one, other) => one.first.localeCompare(other.first))
    .reduce((day, { first, last }) => (first <= day && day <= last ? addDays(last, 1) : day), today);

interface Period {
  readonly first: string;
  readonly last: string;
}

/** The days that are entered; null unless both can be read. */
const readPeriod = (form: OneShotForm["form"], context: LocaleContext): Period | null => {
  const [first, last] = ["first_day", "last_day"].map((name) => {
    const field = form.fields.find((one) => one.name === name);
    const read = field && readFormField(field, form, context);
    return read?.kind === "value" && typeof read.value === "string" ? read.value : null;
  });
  return first && last ? { first, last } : null;
};

const findInPeriod = (records: readonly RecordJson[], period: Period | null): readonly RecordJson[] =>
  period === null
    ? []
    : records.filter(({ first_day, last_day }) => String(first_day) <= period.last && String(last_day) >= period.first);

/** The form with the taken days at the last day, before sending. */
const withTaken = (oneShot: OneShotForm, message: string): OneShotForm => ({
  ...oneShot,
  broken: [...oneShot.broken, { kind: "refused", field: "last_day", clause: TWICE, message, help: null }],
});

/**
 * The refusal of taken days with this sentence, at the last day. It is worded once, when the response comes: errors that
 * change while somebody types take the focus each time.
 */
const wordTaken = (thrown: unknown, message: string | undefined): unknown => {
  const failure = toFailure(thrown);
  if (failure.kind !== "refused" || message === undefined) return thrown;
  const { problem } = failure;
  const errors = problem.errors?.map((one) => (one.clause === TWICE ? { ...one, at: "/last_day", message } : one));
  return new CallFailed({ kind: "refused", problem: errors === undefined ? problem : { ...problem, errors } }, thrown);
};
