import { useMutation, useQuery } from "@tanstack/react-query";
import type { QuestionJson } from "../../core/wire.ts";
import { answerTransition } from "../client/drafting.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import { keys } from "../client/queries.ts";
import { recordAddress } from "../client/routes.ts";
import { Button } from "../part/button.tsx";
import { Clause } from "../part/clause.tsx";
import { useApplication, useClient } from "../part/context.tsx";
import { Link } from "../part/link.tsx";
import { ProblemNote } from "../part/problem-note.tsx";
import { useSay, useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";

/** What people were refused because nobody decided it: the case, and the clauses that would decide it. */
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
  const { politely } = useSay();
  const decide = useDecision(question);
  const [last] = question.asked;
  const names = [...new Set(question.asked.flatMap(({ name }) => name ?? []))];
  const to = last?.record ? recordAddress(screens, question.entity, last.record) : null;
  const write = (role: string) =>
    decide.mutate(role, {
      onSuccess: () => {
        const words = say("questions.decided", { transition: question.title, role });
        toast(words);
        politely(words);
        void queries.invalidateQueries();
      },
    });
  const failure: Failure | null = decide.error ? failureOf(decide.error) : null;
  return (
    <article className="question">
      <p className="statement">
        {say("questions.asks", { transition: question.title, names: show.list(names), count: names.length })}
      </p>
      <p className="in-force">
        {say("questions.now", { count: question.records })} <Clause of={question.clause} />{" "}
        {to !== null && <Link href={to}>{say("questions.case")}</Link>}
      </p>
      {failure && failure.kind !== "signed out" && <ProblemNote title={say("questions.failed")} failure={failure} />}
      <ul>
        {question.answers.map(({ role, people }) => (
          <li key={role}>
            <Button small busy={decide.isPending && decide.variables === role} onClick={() => write(role)}>
              {say("questions.answer", { role })}
            </Button>
            <span className="pane-second">
              {people === null
                ? say("questions.of.record", { records: question.records })
                : say("questions.effect", { people, records: question.records })}
            </span>
          </li>
        ))}
      </ul>
    </article>
  );
};

/** Writes the role behind the transition in the text in force, and applies that. */
const useDecision = ({ do: what }: QuestionJson) => {
  const { calls } = useClient();
  const { say } = useWords();
  return useMutation({
    retry: false,
    mutationFn: async (role: string) => {
      const [{ hash, files }, { compile }] = await Promise.all([calls.document(), import("./compiler.ts")]);
      const [entity = "", name = ""] = what.split(".");
      const { model } = compile(files);
      const span = model?.entities.get(entity)?.states?.transitions.get(name)?.clause.span;
      const changed = files.map(({ file, text }) => ({
        file,
        text: file === span?.file ? (answerTransition(text, span.start, role) ?? text) : text,
      }));
      if (changed.every(({ text }, i) => text === files[i]?.text)) throw new Error(say("questions.by.hand"));
      return calls.applyDocument({ base: hash, files: changed });
    },
  });
};
