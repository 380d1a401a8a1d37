import type { BehaviourLine } from "../../../core/change/behaviour-line.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { byPoint, points } from "../point-titles.ts";

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

/** Differences in behaviour, by point. The sentences are English, like the language of the specification. */
export const BehaviourLines = ({ lines }: { readonly lines: readonly BehaviourLine[] }) => {
  const { say } = useWords();
  if (lines.length === 0) return <p>{say("behaviour.none")}</p>;
  return (
    <div className="behaviour">
      {[...byPoint(lines)].map(([point, own]) => (
        <section key={point} aria-label={say(points[point] ?? "point.0")}>
          <h3>
            <span className="outline-number">{point}</span> {say(points[point] ?? "point.0")}
          </h3>
          <ul>
            {own.map((line) => (
              <Line key={`${line.subject} ${line.text}`} line={line} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};

const Line = ({ line: { effect, text, certainty, loses, witness, before, after } }: { line: BehaviourLine }) => {
  const { say } = useWords();
  const { sign, words } = marks[effect];
  const example = Object.entries(witness?.record ?? {}).map(([path, value]) => `${path} = ${value}`);
  const clauses = [...new Set([before, after])].filter((one) => one !== null);
  return (
    <li className={`behaviour-line ${effect}`}>
      <span className="behaviour-sign" role="img" aria-label={say(words)}>
        {sign}
      </span>
      <div>
        <span lang="en">{text}</span>
        {loses !== null && <span className="behaviour-tag loses">{say(losses[loses])}</span>}
        {certainty === "possible" && <span className="behaviour-tag">{say("behaviour.possible")}</span>}
        {(example.length > 0 || clauses.length > 0) && (
          <p className="behaviour-why">
            {example.length > 0 && (
              <span>
                {say("behaviour.example", {
                  example: [...(witness?.role == null ? [] : [witness.role]), ...example].join(", "),
                })}
              </span>
            )}
            {clauses.map((clause) => (
              <ClauseId key={clause} of={clause} />
            ))}
          </p>
        )}
      </div>
    </li>
  );
};
