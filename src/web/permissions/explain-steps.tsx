import type { WordId } from "../../core/i18n/catalogue.ts";
import type { WhyJson } from "../../core/wire/why.ts";
import { useWords } from "../i18n/words.tsx";
import { ClauseLink } from "../ui/clause.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { ClausesButton, type ShownClauses, useShownClauses } from "../ui/overlay/why-button.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { type MergedStep, type MergedWay, mergeSteps } from "./merge-steps.ts";
import { RecordsInTheWay } from "./records-in-the-way.tsx";
import "./permissions.css";

type How = "holds" | "fails" | "unknown" | "later";

const hows: { readonly [how in How]: { readonly words: WordId; readonly icon: IconName } } = {
  holds: { words: "why.holds", icon: "check" },
  fails: { words: "why.fails", icon: "close" },
  unknown: { words: "why.unknown", icon: "hide" },
  later: { words: "why.later", icon: "more" },
};

/** The clause of a line: a link for administrators, and otherwise a reference that the reader asked for. */
const OwnClauses = ({ clauses, around }: { clauses: readonly string[]; around: readonly string[] }) =>
  clauses
    .filter((clause) => !around.includes(clause))
    .map((clause) => (
      <span key={clause}>
        {" "}
        <ClauseLink of={clause} />
      </span>
    ));

interface StepLineProps {
  readonly step: MergedStep;
  readonly isAnswered: boolean;
  /** The clauses that are shown around the line; null if no line shows its own. */
  readonly around: readonly string[] | null;
  readonly showsRecords?: boolean;
}

/** A step that holds, does not hold, is hidden, or depends on input. */
const StepLine = ({ step, isAnswered, around, showsRecords = false }: StepLineProps) => {
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
        {around !== null && <OwnClauses clauses={step.clauses} around={around} />}
        {step.holds === false && step.records && showsRecords && <RecordsInTheWay {...step.records} />}
        {step.holds === false && step.found.length > 0 && (
          <span className="why-found">
            {step.found.map(({ field, value }) => say("label.value", { label: field, value })).join(", ")}
          </span>
        )}
      </span>
    </li>
  );
};

const WayBlock = ({ way, isAnswered, around }: Omit<StepLineProps, "step"> & { readonly way: MergedWay }) => {
  const { say } = useWords();
  const roleWords = useRoleWords();
  const words = !way.held ? "why.as.not" : way.needs.length === 0 ? "why.as.always" : "why.as";
  return (
    <li className="why-way">
      <p>
        {say(words, { role: roleWords.one(way.role, way.title) })}
        {around !== null && <OwnClauses clauses={[way.clause]} around={around} />}
      </p>
      {way.needs.length > 0 && (
        <ul>
          {way.needs.map((need) => (
            <StepLine
              key={`${need.holds} ${need.says}`}
              step={need}
              isAnswered={isAnswered}
              around={around === null ? null : [...around, way.clause]}
            />
          ))}
        </ul>
      )}
    </li>
  );
};

const nothingAround: readonly string[] = [];

/**
 * The steps of an explanation, clause by clause. One grant is enough; requirements follow below. `around`: the clauses
 * that are shown beside the explanation. Administrators see the clause of each step, others on request, here or where
 * `clauses` is from.
 */
export const ExplainSteps = ({
  why,
  around = nothingAround,
  showsRecords = true,
  clauses,
}: {
  why: WhyJson;
  around?: readonly string[];
  /** False if the records in the way are shown beside the explanation. */
  showsRecords?: boolean;
  clauses?: ShownClauses;
}) => {
  const { say } = useWords();
  const own = useShownClauses();
  const { areShown } = clauses ?? own;
  const steps = mergeSteps(why);
  const shown = areShown ? around : null;
  // Without a record nothing was evaluated: no step is hidden or violated.
  const isAnswered = why.answer === "yes" || why.answer === "no";
  return (
    <>
      <ul className="why-steps">
        {steps.ways.map((way) => (
          <WayBlock
            key={`${way.clause} ${way.role} ${way.needs.map(({ says }) => says).join()}`}
            way={way}
            isAnswered={isAnswered}
            around={shown}
          />
        ))}
        {steps.musts.length > 0 && (
          <li className="why-way">
            <p>{say("why.musts")}</p>
            <ul>
              {steps.musts.map((must) => (
                <StepLine
                  key={`${must.holds} ${must.says}`}
                  step={must}
                  isAnswered={isAnswered}
                  around={shown}
                  showsRecords={showsRecords}
                />
              ))}
            </ul>
          </li>
        )}
        {why.could !== null && why.ways.length > 0 && !why.because.includes(why.could) && (
          <li className="why-could">{say("why.could", { roles: why.could })}</li>
        )}
      </ul>
      {clauses === undefined && <ClausesButton {...own} />}
    </>
  );
};
