import { useQuery } from "@tanstack/react-query";
import type { WhyNot } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import { CollisionLines, useCollisionsOfRecord } from "../form/colliding-records.tsx";
import { useWords } from "../i18n/words.tsx";
import { useShownClauses, WhyFoot } from "../ui/overlay/why-button.tsx";
import { WhyTop } from "../ui/overlay/why-top.tsx";
import { ActsInstead } from "../workflow/acts-instead.tsx";
import type { TransitionAct } from "../workflow/record-acts.ts";
import { ExplainSteps } from "./explain-steps.tsx";
import { findRecordsInTheWay } from "./merge-steps.ts";
import { RecordsInTheWay } from "./records-in-the-way.tsx";

/** The action, `Request.grant`, the record, and the field that it is about. */
export interface TransitionQuestion {
  readonly what: string;
  readonly record: string;
  readonly field?: string;
}

/** The possible acts in the place of the refused one, and a function that performs one of them. */
export interface WayOn {
  readonly acts: readonly TransitionAct[];
  readonly perform: (act: TransitionAct) => void;
}

export interface RefusalExplanationProps {
  readonly title: string;
  readonly why: WhyNot;
  readonly question: TransitionQuestion | undefined;
  readonly instead: WayOn | undefined;
  readonly close: () => void;
}

/** Explains a refusal: the question, a sentence, what is possible instead, the steps, and the deciding clause. */
export const RefusalExplanation = ({ title, why, question, instead, close }: RefusalExplanationProps) => {
  const { calls } = useClient();
  const { say } = useWords();
  const clauses = useShownClauses();
  // The individual steps, loaded when the panel opens.
  const { what = "", record = "", field = "" } = question ?? {};
  const { data, isPending } = useQuery({
    queryKey: keys.why(what, record, field),
    queryFn: ({ signal }) => calls.why({ do: what, record, field }, signal),
    enabled: question !== undefined,
    staleTime: 0,
    retry: false,
  });
  const known = data?.answer === "no" ? data : undefined;
  // The explanation for this record is more specific than the general one.
  const because = known?.because ?? why.because;
  const records = data && findRecordsInTheWay(data, why.clause);
  const collisions = useCollisionsOfRecord(what.split(".")[0] ?? "", record, why.clause);
  // Until the answer is there, nothing can be pressed that it would move from under the pointer.
  const isWhole = question === undefined || !(isPending || collisions.isPending);
  return (
    <>
      <WhyTop title={title} busy={question !== undefined && isPending} close={close}>
        <p>{because}</p>
        {records && <RecordsInTheWay {...records} />}
        {isWhole && collisions.found && <CollisionLines {...collisions.found} />}
        {isWhole && instead !== undefined && (
          <ActsInstead
            acts={instead.acts}
            choose={(act) => {
              close();
              instead.perform(act);
            }}
          />
        )}
        {known && known.ways.length + known.musts.length > 0 && (
          // The sentence says why. Only somebody who reads the document needs each of its conditions at once.
          <details className="why-path" open={clauses.areShown}>
            <summary>
              <h3>{say("why.steps")}</h3>
            </summary>
            <ExplainSteps why={known} around={[why.clause]} showsRecords={false} clauses={clauses} />
          </details>
        )}
      </WhyTop>
      {isWhole && (
        <WhyFoot clause={why.clause} clauses={clauses} copied={`${title}\n${because}\n${why.clause} ${why.code}`} />
      )}
    </>
  );
};
