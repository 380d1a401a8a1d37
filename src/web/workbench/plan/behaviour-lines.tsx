import type { BehaviourLine } from "../../../core/change/behaviour-line.ts";
import { planOrder } from "../../../core/change/version-summary.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { FiguresOfLine } from "../../../core/wire/authoring/replay.ts";
import { usePerson } from "../../app/app-context.tsx";
import { useMessages } from "../../i18n/messages.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Link } from "../../ui/link.tsx";
import { byPoint, points } from "../point-titles.ts";
import { RecordList } from "./record-list.tsx";
import { RetryNote } from "./retry-note.tsx";
import { type ClauseText, getClauseKey, type TextComparison } from "./text-comparison.ts";

/** The clauses of the lines, with their places. */
export interface ClausePlaces {
  readonly clauses: TextComparison["clauses"];
  /** Address of a clause in the earlier text. */
  readonly before: (clause: string) => string;
  /** Shows a clause in the later text. */
  readonly onAfter: (clause: ClauseText) => void;
}

/** Figures of stored data beside the lines. */
export interface ShownFigures {
  readonly lines: readonly FiguresOfLine[];
  /** A link to a record is followed. */
  readonly onFollow?: () => void;
}

const marks: { readonly [E in BehaviourLine["effect"]]: { readonly sign: string; readonly words: WordId } } = {
  allows: { sign: "+", words: "behaviour.allows" },
  adds: { sign: "+", words: "behaviour.adds" },
  forbids: { sign: "−", words: "behaviour.forbids" },
  removes: { sign: "−", words: "behaviour.removes" },
  changes: { sign: "~", words: "behaviour.changes" },
};

const losses: { readonly [L in NonNullable<BehaviourLine["loses"]>]: WordId } = {
  access: "behaviour.loses.access",
  data: "behaviour.loses.data",
  compatibility: "behaviour.loses.compatibility",
};

/** Differences in behaviour, by point. */
const BehaviourLines = ({
  lines,
  places,
  figures,
}: {
  readonly lines: readonly BehaviourLine[];
  /** If given, each line shows its clauses as they were and are, and leads to them. */
  readonly places?: ClausePlaces;
  readonly figures?: ShownFigures;
}) => {
  const { say } = useWords();
  if (lines.length === 0) return <p>{say("behaviour.none")}</p>;
  const grouped = byPoint(lines);
  return (
    <div className="behaviour">
      {planOrder
        .flatMap((point) => {
          const own = grouped.get(point);
          return own === undefined ? [] : [[point, own] as const];
        })
        .map(([point, own]) => (
          <section key={point} aria-label={say(points[point] ?? "point.0")}>
            <h3>
              <span className="outline-number">{point}</span> {say(points[point] ?? "point.0")}
            </h3>
            <ul>
              {own.map((line, i) => (
                <Line
                  key={`${line.subject} ${line.text}`}
                  line={line}
                  places={places}
                  // The last of several lines about the same clauses shows them.
                  showsClauses={!haveSameClauses(line, own[i + 1])}
                  figures={figures}
                />
              ))}
            </ul>
          </section>
        ))}
    </div>
  );
};

const haveSameClauses = (line: BehaviourLine, other: BehaviourLine | undefined): boolean =>
  other !== undefined &&
  getClauseKey(line, "before") === getClauseKey(other, "before") &&
  getClauseKey(line, "after") === getClauseKey(other, "after");

const Line = ({
  line,
  places,
  showsClauses,
  figures,
}: {
  line: BehaviourLine;
  places: ClausePlaces | undefined;
  showsClauses: boolean;
  figures: ShownFigures | undefined;
}) => {
  const { say } = useWords();
  const inWords = useMessages();
  const { subject, effect, text, message, parts = [], certainty, loses, witness, before, after } = line;
  const sentence = inWords(message, text);
  const { sign, words } = marks[effect];
  const example = Object.entries(witness?.record ?? {}).map(([path, value]) => `${path} = ${value}`);
  const clauses = showsClauses ? [...new Set([before, after])].filter((item) => item !== null) : [];
  // Calls follow from an entity as a whole, whose first line says nothing about them.
  const isNamedOnly = places === undefined || (line.point === 7 && (after ?? before)?.startsWith("3.") === true);
  const own = figures?.lines.find((candidate) => candidate.subject === subject && candidate.text === text);
  return (
    <li className={`behaviour-line ${effect}`}>
      <span className="behaviour-sign" role="img" aria-label={say(words)}>
        {sign}
      </span>
      <div>
        <span className="behaviour-text" lang={sentence.lang}>
          {sentence.text}
        </span>{" "}
        {loses !== null && <span className="behaviour-tag loses">{say(losses[loses])}</span>}
        {certainty === "possible" && <span className="behaviour-tag">{say("behaviour.possible")}</span>}
        {parts.length > 0 && (
          <details className="behaviour-parts">
            <summary>{say("behaviour.parts", { count: parts.length })}</summary>
            <ul>
              {parts.map((part) => {
                const { text: own, lang } = inWords(part.message, part.text);
                return (
                  <li key={part.text} lang={lang}>
                    {own}
                  </li>
                );
              })}
            </ul>
          </details>
        )}
        {own !== undefined && figures !== undefined && <Figures of={own} onFollow={figures.onFollow} />}
        {(example.length > 0 || (clauses.length > 0 && isNamedOnly)) && (
          <p className="behaviour-why">
            {example.length > 0 && (
              <span>
                {say("behaviour.example", {
                  example: [...(witness?.role == null ? [] : [witness.role]), ...example].join(", "),
                })}
              </span>
            )}
            {isNamedOnly && clauses.map((clause) => <ClauseId key={clause} of={clause} />)}
          </p>
        )}
        {!isNamedOnly && clauses.length > 0 && <Clauses line={line} places={places} />}
      </div>
    </li>
  );
};

/** "Today: 214 records (one of them), 3 people" */
const Figures = ({
  of: {
    subject,
    figures: { records, people, role, ids },
  },
  onFollow,
}: {
  of: FiguresOfLine;
  onFollow: (() => void) | undefined;
}) => {
  const { say } = useWords();
  const [entity = ""] = subject.split(".");
  if (records === null && people === null) return null;
  return (
    <>
      <p className="behaviour-why">
        <span>{say("behaviour.today")}</span>
        {records !== null && (
          <span>
            {say(records > MOST ? "behaviour.records.more" : "behaviour.records", { count: Math.min(records, MOST) })}
          </span>
        )}
        {people !== null && <People count={people} role={role} onFollow={onFollow} />}
      </p>
      {records !== null && ids.length > 0 && (
        // Of a number that is not exact, the list does not say how many more there are.
        <RecordList
          records={{ entity, count: records > MOST ? ids.length : records, ids }}
          isOnlyShown
          {...(onFollow && { onFollow })}
        />
      )}
    </>
  );
};

/** The number of people concerned, which leads administrators to their list. */
const People = ({
  count,
  role,
  onFollow,
}: {
  count: number;
  role: string | null;
  onFollow: (() => void) | undefined;
}) => {
  const { say } = useWords();
  const words = say("behaviour.people", { count });
  if (usePerson()?.administrator !== true) return <span>{words}</span>;
  const query = role === null ? "" : `?${new URLSearchParams({ role })}`;
  return (
    <Link className="link" href={`/workbench/people${query}`} {...(onFollow && { onClick: onFollow })}>
      {words}
    </Link>
  );
};

/** Records are counted up to this number. */
const MOST = 10_000;

/** The clause as it was and as it is, each with a link to its place. */
const Clauses = ({
  line,
  places: { clauses, before: addressBefore, onAfter },
}: {
  line: BehaviourLine;
  places: ClausePlaces;
}) => {
  const { say } = useWords();
  const { before, after } = line;
  const find = (of: "before" | "after") => {
    const found = clauses[of][getClauseKey(line, of) ?? ""];
    // Without a place of its own, a line is about the whole list, not about its first item.
    return line.spans?.[of] === null && found?.text.startsWith("- ") === true ? undefined : found;
  };
  const [was, is] = [find("before"), find("after")];
  // A clause that reads as before has one place.
  const isMoved = was !== undefined && (was.changed !== undefined || was.text !== is?.text);
  return (
    <div className="behaviour-clauses">
      {before !== null && isMoved && (
        <Link className="behaviour-clause before" href={addressBefore(before)}>
          <span>{say("plan.before")}</span>
          <code dir="ltr">{was.changed ?? was.opening ?? was.text}</code>
          <ClauseId of={before} />
        </Link>
      )}
      {after !== null && is !== undefined && (
        <button type="button" className="behaviour-clause after" onClick={() => onAfter(is)}>
          <span>{say("plan.now")}</span>
          <code dir="ltr">{is.changed ?? is.opening ?? is.text}</code>
          <ClauseId of={after} />
        </button>
      )}
    </div>
  );
};

/** The behaviour of a comparison, while it is computed and if there is none. */
export const ComparedBehaviour = ({
  comparison,
  isRetrying,
  retry,
  places,
  figures,
}: {
  readonly comparison: TextComparison | null | undefined;
  /** True while the texts are compared again after a failure. */
  readonly isRetrying: boolean;
  /** Compares the texts again after a failure. */
  readonly retry: () => void;
  readonly places?: ClausePlaces;
  readonly figures?: ShownFigures;
}) => {
  const { say } = useWords();
  if (comparison?.behaviour != null)
    return (
      <BehaviourLines
        lines={comparison.behaviour}
        {...(places === undefined ? {} : { places })}
        {...(figures === undefined ? {} : { figures })}
      />
    );
  if (comparison === undefined) return <p aria-busy="true">{say("behaviour.comparing")}</p>;
  if (comparison === null)
    return <RetryNote title={say("behaviour.failed")} failure={null} isBusy={isRetrying} retry={retry} />;
  return <p>{say("behaviour.broken")}</p>;
};
