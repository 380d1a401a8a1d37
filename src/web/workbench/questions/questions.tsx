import { useMutation, useQuery } from "@tanstack/react-query";
import type { AnswerJson, QuestionJson } from "../../../core/wire/authoring/questions.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { ClauseId } from "../../ui/clause.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { useAnnounce, useToast } from "../../ui/overlay/toast.tsx";
import { FailureNote } from "../../ui/page/problem-note.tsx";
import { importWithRetries } from "../../util/import-with-retries.ts";
import { decide } from "../draft/draft-session.ts";

/** Questions about undecided permissions, with clauses that would answer them. */
export const Questions = () => {
  const { calls } = useClient();
  const { say } = useWords();
  const { data } = useQuery({ queryKey: keys.questions, queryFn: ({ signal }) => calls.questions(signal) });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section aria-labelledby="questions" className="questions">
      <h2 id="questions">{say("questions.title")}</h2>
      {data.items.map((question) => (
        <Question key={question.do} question={question} />
      ))}
    </section>
  );
};

const Question = ({ question }: { question: QuestionJson }) => {
  const { queries } = useClient();
  const { screens } = useApplication();
  const { say, show } = useWords();
  const toast = useToast();
  const { politely } = useAnnounce();
  const [last] = question.asked;
  const names = [...new Set(question.asked.flatMap(({ name }) => name ?? []))];
  const to = last?.record ? recordAddress(screens, question.entity, last.record) : null;
  const where = question.asked.find((item) => item.where !== null)?.where ?? null;
  const recipient = ({ whom: role, own }: AnswerJson) =>
    own === null ? role : say("questions.own", { role, field: own });
  // The question can disappear before its answer is live.
  const decision = useDecision(question, (answer) => {
    const role = recipient(answer);
    const words =
      question.title === null
        ? say("questions.decided.action", { clause: answer.writes })
        : say("questions.decided", { transition: question.title, role });
    toast(words);
    politely(words);
    void queries.invalidateQueries();
  });
  const write = (answer: AnswerJson) => {
    // One decision at a time, until it is live.
    if (!decision.isPending && !decision.isSuccess) decision.mutate(answer);
  };
  const people = { names: show.list(names), count: names.length };
  return (
    <article className="question">
      <p className="statement">
        {question.title === null
          ? say("questions.asks.action", people)
          : say("questions.asks", { ...people, transition: question.title })}
      </p>
      <p className="in-force">
        {question.title === null ? question.says : say("questions.now", { count: question.records })}{" "}
        <ClauseId of={question.clause} />{" "}
        {question.field !== null && <span>{say("questions.field", { field: question.field })} </span>}
        {where !== null && <code>{where}</code>} {to !== null && <Link href={to}>{say("questions.case")}</Link>}
      </p>
      <FailureNote title={say("questions.failed")} error={decision.error} />
      <ul>
        {question.answers.map((answer) => (
          <li key={answer.writes}>
            <Button
              small
              busy={(decision.isPending || decision.isSuccess) && decision.variables.writes === answer.writes}
              aria-disabled={decision.isPending || decision.isSuccess || undefined}
              onClick={() => write(answer)}
            >
              {say("questions.answer", { role: recipient(answer) })}
            </Button>
            <span className="pane-second">
              {describeEffect(answer, say)} <code>{answer.writes}</code>
            </span>
          </li>
        ))}
      </ul>
    </article>
  );
};

const describeEffect = ({ people, records }: AnswerJson, say: ReturnType<typeof useWords>["say"]): string => {
  if (people === null) return say("questions.of.record", { records: records ?? 0 });
  return records === null ? say("questions.effect.people", { people }) : say("questions.effect", { people, records });
};

/** Writes the clause into the live text and publishes it. */
const useDecision = ({ do: what }: QuestionJson, onDecided: (answer: AnswerJson) => void) => {
  const { calls } = useClient();
  const { say } = useWords();
  return useMutation({
    retry: false,
    mutationFn: async ({ writes }: AnswerJson) => {
      const [{ hash, files }, { createCompiler }] = await Promise.all([
        calls.document(),
        importWithRetries(() => import("../draft/compiler.ts")),
      ]);
      const changed = decide(files, { do: what, writes }, createCompiler());
      if (changed === undefined) throw new Error(say("questions.by.hand"));
      return calls.applyDocument({ base: hash, files: changed });
    },
    onSuccess: (_, answer) => onDecided(answer),
  });
};
