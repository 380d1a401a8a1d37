import type { WordId } from "../../core/i18n/catalogue.ts";
import type { StepJson, WayJson, WhyJson } from "../../core/wire/why.ts";
import { useWords } from "../i18n/words.tsx";
import { ClauseLink } from "../ui/clause.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import "./permissions.css";

type How = "holds" | "fails" | "unknown" | "later";

const hows: { readonly [how in How]: { readonly words: WordId; readonly icon: IconName } } = {
  holds: { words: "why.holds", icon: "check" },
  fails: { words: "why.fails", icon: "close" },
  unknown: { words: "why.unknown", icon: "hide" },
  later: { words: "why.later", icon: "more" },
};

/** Unique keys, since steps may repeat. */
const addKeys = (steps: readonly StepJson[]): readonly (readonly [key: string, step: StepJson])[] => {
  const met = new Map<string, number>();
  return steps.map((step) => {
    const key = `${step.clause} ${step.says}`;
    const times = (met.get(key) ?? 0) + 1;
    met.set(key, times);
    return [`${key} ${times}`, step];
  });
};

/** The clause of a line, unless one that is shown around the line is the same. */
const OwnClause = ({ clause, around }: { clause: string; around: readonly string[] }) =>
  around.includes(clause) ? null : (
    <>
      {" "}
      <ClauseLink of={clause} />
    </>
  );

interface StepLineProps {
  readonly step: StepJson;
  readonly isAnswered: boolean;
  /** The clauses that are shown around the line. */
  readonly around: readonly string[];
}

/** A step that holds, does not hold, is hidden, or depends on input. */
const StepLine = ({ step, isAnswered, around }: StepLineProps) => {
  const { say } = useWords();
  const how: How =
    step.later || (step.holds === null && !isAnswered)
      ? "later"
      : step.holds === null
        ? "unknown"
        : step.holds
          ? "holds"
          : "fails";
  const { words, icon } = hows[how];
  return (
    <li className={`why-step ${how}`}>
      <span role="img" aria-label={say(words)} title={say(words)}>
        <Icon name={icon} size={14} />
      </span>
      <span>
        {step.says}
        <OwnClause clause={step.clause} around={around} />
        {step.holds === false && step.found.length > 0 && (
          <span className="why-found">
            {step.found.map(({ field, value }) => say("label.value", { label: field, value })).join(", ")}
          </span>
        )}
      </span>
    </li>
  );
};

const WayBlock = ({ way, isAnswered, around }: Omit<StepLineProps, "step"> & { readonly way: WayJson }) => {
  const { say } = useWords();
  const roleWords = useRoleWords();
  const words = !way.held ? "why.as.not" : way.needs.length === 0 ? "why.as.always" : "why.as";
  return (
    <li className="why-way">
      <p>
        {say(words, { role: roleWords.one(way.role, way.title) })}
        <OwnClause clause={way.clause} around={around} />
      </p>
      {way.needs.length > 0 && (
        <ul>
          {addKeys(way.needs).map(([key, need]) => (
            <StepLine key={key} step={need} isAnswered={isAnswered} around={[...around, way.clause]} />
          ))}
        </ul>
      )}
    </li>
  );
};

const nothingAround: readonly string[] = [];

/**
 * The steps of an explanation, clause by clause. One grant is enough; requirements follow below. `around`: the clauses
 * that are shown beside the explanation.
 */
export const ExplainSteps = ({ why, around = nothingAround }: { why: WhyJson; around?: readonly string[] }) => {
  const { say } = useWords();
  // Without a record nothing was evaluated: no step is hidden or violated.
  const isAnswered = why.answer === "yes" || why.answer === "no";
  return (
    <ul className="why-steps">
      {why.ways.map((way) => (
        <WayBlock
          key={`${way.clause} ${way.role} ${way.needs.map(({ says }) => says).join()}`}
          way={way}
          isAnswered={isAnswered}
          around={around}
        />
      ))}
      {why.musts.length > 0 && (
        <li className="why-way">
          <p>{say("why.musts")}</p>
          <ul>
            {addKeys(why.musts).map(([key, must]) => (
              <StepLine key={key} step={must} isAnswered={isAnswered} around={around} />
            ))}
          </ul>
        </li>
      )}
      {why.could !== null && why.ways.length > 0 && !why.because.includes(why.could) && (
        <li className="why-could">{say("why.could", { roles: why.could })}</li>
      )}
    </ul>
  );
};
