import { useState } from "react";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { entityWords, toTitle } from "../../core/model/inflection.ts";
import type { EntityJson, FieldJson, TransitionJson } from "../../core/wire/entities.ts";
import type { FieldChange, HistoryLine, LineCause, PartLine } from "../../core/wire/history.ts";
import type { Json } from "../../core/wire/json.ts";
import { useApplication, usePerson } from "../app/app-context.tsx";
import { FieldValue } from "../field/field-value.tsx";
import { shortenChange } from "../format/text-change.ts";
import { toLocalTime } from "../format/time-zone.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { getPartsTitle, recordAddress } from "../routing/routes.ts";
import { Avatar } from "../ui/avatar.tsx";
import { ClauseLink } from "../ui/clause.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { findCompleted, isConsequence } from "../workflow/workflow.ts";

interface HistoryProps {
  readonly entity: EntityJson;
  /** The id of the record. */
  readonly record: string;
  readonly lines: readonly HistoryLine[];
  /** The lines that are new to the user. */
  readonly fresh: readonly HistoryLine[];
}

/**
 * The history of a record as sentences: who did what, from which value to which, and when. Administrators, who can open
 * the document, also see the clause of each line and the version of the document.
 */
const History = ({ entity, record, lines, fresh }: HistoryProps) => {
  const { say } = useWords();
  const isAdministrator = usePerson()?.administrator === true;
  const versions = isAdministrator ? [...new Set(lines.flatMap(({ document }) => document ?? []))] : [];
  const [only] = versions;
  return (
    <>
      <ol className="history">
        {lines.map((line, at) => (
          <Entry
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the front
            key={lines.length - at}
            entity={entity}
            record={record}
            line={line}
            fresh={fresh.includes(line)}
            several={versions.length > 1}
          />
        ))}
      </ol>
      {versions.length === 1 && only !== undefined && (
        <p className="small-words history-version">{say("history.version.all", { version: only })}</p>
      )}
    </>
  );
};

export default History;

interface EntryProps {
  readonly entity: EntityJson;
  readonly record: string;
  readonly line: HistoryLine;
  readonly fresh: boolean;
  readonly several: boolean;
}

const Entry = ({ entity, record, line, fresh, several }: EntryProps) => {
  const { say, show, timezone } = useWords();
  const isAdministrator = usePerson()?.administrator === true;
  const states = entity.states;
  const isState = (field: string) => field === states?.field;
  const transition = states?.transitions.find(({ name }) => name === line.action);
  const isSaid = (change: FieldChange) =>
    transition !== undefined &&
    (isState(change.field) || (!isAskedFor(entity, transition, change.field) && repeatsLine(change, line, timezone)));
  const changes = line.action === "create" ? [] : line.changes.filter((change) => !isSaid(change));
  const moved = transition ? line.changes.find(({ field }) => isState(field)) : undefined;
  const stateNamed = (name: unknown) => states?.states.find((state) => state.name === name);
  const [before, after] = [stateNamed(moved?.before), stateNamed(moved?.after)];

  return (
    <li data-new={fresh || undefined} tabIndex={fresh ? -1 : undefined}>
      <div>
        <p>
          {fresh && <span className="hidden-words">{say("news.new")} </span>}
          <Sentence entity={entity} line={line} changed={changes.length > 0} />
        </p>
        {after && line.action !== "create" && (
          <p className="history-move">
            {before && <StateWord state={before} />}
            <Icon name="to" size={13} />
            <span className="hidden-words">{say("history.became")}</span>
            <StateWord state={after} />
          </p>
        )}
        <Changes entity={entity} changes={changes} />
        {line.parts && <Parts entity={entity} parts={line.parts} />}
        {line.cause && !findCompleted(entity, line) && <Cause cause={line.cause} isOwn={line.cause.id === record} />}
        <p className="small-words history-when">
          {line.at !== undefined && <time dateTime={line.at}>{show.moment(line.at)}</time>}
          {isAdministrator && line.clause !== undefined && <ClauseLink of={line.clause} />}
          {line.via === "mail" && <span>{say("history.via.mail")}</span>}
          {line.imported !== undefined && <bdi>{say("history.imported", { file: line.imported })}</bdi>}
          {several && line.document !== undefined && <span>{say("history.version", { version: line.document })}</span>}
        </p>
      </div>
    </li>
  );
};

/** True if the person entered the value with the transition, which is worth showing whatever the value is. */
const isAskedFor = ({ acts = [] }: EntityJson, { asks }: TransitionJson, field: string): boolean =>
  asks.includes(field) || acts.some(({ name }) => name === field);

/** True if a transition only notes in a field by whom or when it was made, which its line says already. */
const repeatsLine = ({ before, after }: FieldChange, { person, at }: HistoryLine, timezone: string): boolean => {
  if (Array.isArray(after)) return addsOnly([before ?? []].flat(), after, person?.id);
  if (before !== null && before !== undefined) return false;
  if (isReference(after)) return after.id === person?.id;
  if (typeof after !== "string" || at === undefined) return false;
  return after === toLocalTime(at, timezone).day || Date.parse(after) === Date.parse(at);
};

/** True if the person is all that a list of people gained. */
const addsOnly = (before: readonly Json[], after: readonly Json[], person: string | undefined): boolean => {
  const ids = (list: readonly Json[]) => list.map((item) => (isReference(item) ? item.id : null));
  const [was, now] = [ids(before), ids(after)];
  return person !== undefined && now.length === was.length + 1 && [...was, person].every((id) => now.includes(id));
};

/** The author and the operation. If only parts changed, it names their list. */
const Sentence = ({ entity, line, changed }: { entity: EntityJson; line: HistoryLine; changed: boolean }) => {
  const { rich, say, show } = useWords();
  const { screens, entities } = useApplication();
  const transition = findTransition(entity, line);
  const name = line.person && (
    <span className="who">
      <Avatar name={line.person.label} of={line.person.id} />
      <bdi>{line.person.label}</bdi>
    </span>
  );
  const person = line.for ? rich("history.for", { deputy: name, person: <bdi>{line.for.label}</bdi> }) : name;
  const completed = findCompleted(entity, line);
  if (completed) {
    const values = { person, transition: completed.label };
    return rich(line.person ? "history.completed" : "history.completed.unknown", values);
  }
  if (transition) {
    const label = <b>{transition.label}</b>;
    if (isConsequence(entity, line)) return rich("history.transition.itself", { transition: label });
    if (line.person) return rich("history.transition", { person, transition: label });
    return line.person === null ? rich("history.transition.itself", { transition: label }) : label;
  }
  const words = historyWords[line.action ?? "update"] ?? historyWords.update;
  // The reader cannot know who it was.
  if (line.person === undefined) return say(words.unknown);
  if (!line.person) return say(words.itself);
  if (line.action === "update" && !changed && line.parts) {
    const lists = [...new Set(line.parts.map((part) => getPartsTitle(screens, entities, entity.name, part)))];
    return rich("history.parts", { person, lists: show.list(lists) });
  }
  return rich(words.by, { person });
};

/** The transition of a line. One that the document no longer has, which changed the state, is called by its name. */
const findTransition = (
  { states }: EntityJson,
  { action, changes }: HistoryLine,
): { readonly label: string } | undefined => {
  const known = states?.transitions.find(({ name }) => name === action);
  if (known !== undefined || action === undefined || action in historyWords) return known;
  return changes.some(({ field }) => field === states?.field) ? { label: toTitle(action) } : undefined;
};

/** The words for an action by a person, by an unknown person, and without one. */
const historyWords: {
  readonly [action: string]: { readonly by: WordId; readonly unknown: WordId; readonly itself: WordId };
} & { readonly update: { readonly by: WordId; readonly unknown: WordId; readonly itself: WordId } } = {
  create: { by: "history.create", unknown: "history.create.itself", itself: "history.create.itself" },
  update: { by: "history.update", unknown: "history.changed", itself: "history.itself" },
  delete: { by: "history.delete", unknown: "history.delete.itself", itself: "history.delete.itself" },
  "bring back": { by: "history.back", unknown: "history.back.itself", itself: "history.back.itself" },
};

const causeWords = {
  create: "history.cause.create",
  update: "history.cause.update",
  delete: "history.cause.delete",
} as const;

const isPlain = (action: string): action is keyof typeof causeWords => action in causeWords;

/** The change that led to this one: of another record, or an earlier one of the same (`isOwn`). */
const Cause = ({ cause: { entity: name, id, label, action }, isOwn }: { cause: LineCause; isOwn: boolean }) => {
  const { rich } = useWords();
  const { screens, entities } = useApplication();
  const entity = entities[name];
  const address = recordAddress(screens, name, id);
  const labelled = <bdi>{label}</bdi>;
  const record =
    address === null ? (
      labelled
    ) : (
      <Link className="link" href={address}>
        {labelled}
      </Link>
    );
  const values = { thing: entity?.one ?? entityWords(name), record };
  const named = entity?.states?.transitions.find((candidate) => candidate.name === action);
  const transition = <b>{named?.label ?? toTitle(action)}</b>;
  return (
    <p className="history-cause small-words">
      {isPlain(action)
        ? rich(causeWords[action], values)
        : rich(isOwn ? "history.cause.own" : "history.cause.transition", { ...values, transition })}
    </p>
  );
};

const Changes = ({ entity, changes }: { entity: EntityJson; changes: HistoryLine["changes"] }) =>
  changes.map(({ field: name, before, after }) => {
    const field = [...entity.fields, ...(entity.acts ?? [])].find((candidate) => candidate.name === name);
    return field && <Change key={name} field={field} was={before} is={after} />;
  });

interface ChangeProps {
  readonly field: FieldJson;
  /** Undefined if the reader cannot know it. */
  readonly was: Json | undefined;
  readonly is: Json | undefined;
}

/** One field that changed. Of a long text, only what differs is shown until the user asks for the whole text. */
const Change = ({ field, was, is }: ChangeProps) => {
  const { say } = useWords();
  const [isWhole, setWhole] = useState(false);
  const isText = field.type === "text" || field.type === "long text";
  const asText = (value: unknown) => (typeof value === "string" ? value : "");
  const short = isText ? shortenChange(asText(was), asText(is)) : null;
  const isShortened = short?.isShortened === true && !isWhole;
  // Cells have no units, which are in the heads of their columns.
  const cell = field.type !== "long text" && field.unit === undefined;
  const isKnown = was !== undefined && was !== null && !(Array.isArray(was) && was.length === 0);
  return (
    <p className="history-change">
      <span className="history-field">{say("history.field", { field: field.label })}</span>
      {isKnown && (
        <del>{isShortened ? <bdi>{short.before}</bdi> : <FieldValue field={field} value={was} cell={cell} />}</del>
      )}
      <span className="history-now">
        {isKnown && (
          <>
            <Icon name="to" size={13} />
            <span className="hidden-words">{say("history.became")}</span>
          </>
        )}
        <ins>
          {isShortened ? <bdi>{short.after}</bdi> : <FieldValue field={field} value={is} cell={cell} />}
          {is === null && <span className="none">{say("value.none")}</span>}
        </ins>
      </span>
      {isShortened && (
        <button type="button" className="link history-whole" onClick={() => setWhole(true)}>
          {say("history.whole", { field: field.label })}
        </button>
      )}
    </p>
  );
};

const partWords = {
  create: "history.part.create",
  update: "history.part.update",
  delete: "history.part.delete",
} as const;

/** Number shown; more are available on request. */
const TOLD = 4;

const Parts = ({ entity, parts }: { entity: EntityJson; parts: readonly PartLine[] }) => {
  const { rich, say } = useWords();
  const { screens, entities } = useApplication();
  const [all, setAll] = useState(parts.length <= TOLD + 1);
  const lists = new Set(parts.map(({ list }) => list));
  return (
    <ul className="history-parts">
      {(all ? parts : parts.slice(0, TOLD)).map((part, at) => {
        const own = entities[part.entity];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line of history never changes
          <li key={at}>
            <p>
              {rich(partWords[part.action], { part: <bdi>{part.label}</bdi> })}
              {lists.size > 1 && (
                <span className="history-field"> ({getPartsTitle(screens, entities, entity.name, part)})</span>
              )}
            </p>
            {own && <Changes entity={own} changes={part.changes} />}
          </li>
        );
      })}
      {!all && (
        <li>
          <Button small look="quiet" onClick={() => setAll(true)}>
            {say("history.parts.more", { count: parts.length - TOLD })}
          </Button>
        </li>
      )}
    </ul>
  );
};
