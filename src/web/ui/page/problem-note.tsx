import { type ReactNode, useEffect, useMemo, useRef } from "react";
import type { ProblemAt } from "../../../core/wire/problems.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../control/button.tsx";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { AskForDecision } from "./ask-for-decision.tsx";
import { WhySentence } from "./why-sentence.tsx";

/** The error of a failed change. It takes the focus, because nothing after it makes sense without it. */
export const ProblemNote = ({
  title,
  failure,
  quiet = false,
  mendAt,
  onClose,
  children,
}: {
  title: string;
  failure: Failure;
  quiet?: boolean;
  /** Address where the field (`/note`) can be corrected; null if there is none. */
  mendAt?: (at: string) => string | null;
  /** Absent if the note stays until the next attempt. */
  onClose?: () => void;
  /** Content below the reasons. */
  children?: ReactNode;
}) => {
  const { say, rich } = useWords();
  const note = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new failure takes the focus again
  useEffect(() => {
    if (!quiet) note.current?.focus();
  }, [failure, quiet]);

  return (
    <div className="note bad" role="alert" tabIndex={-1} ref={note}>
      <Icon name="alert" size={18} />
      <div className="grow">
        <h2>{title}</h2>
        {failure.kind === "refused" ? (
          <RefusedWords failure={failure} mendAt={mendAt} />
        ) : (
          <p>
            {failure.kind === "broken"
              ? failure.reference === null
                ? say("broken.act")
                : rich("broken.act.reference", { reference: <code className="reference">{failure.reference}</code> })
              : failure.kind === "put off"
                ? failure.says
                : say(failure.kind === "unreachable" ? unreachableWords(failure) : "away.act")}
          </p>
        )}
        {children}
      </div>
      {onClose && <IconButton icon="close" small label={say("close")} onClick={onClose} />}
    </div>
  );
};

/** The error of a mutation. Nothing is shown without one, or while the dialog for signing in again is open. */
export const FailureNote = ({ title, error }: { title: string; error: unknown }) => {
  // One object for each error, so that the note takes the focus once.
  const failure = useMemo(() => (error ? toFailure(error) : null), [error]);
  return failure === null || failure.kind === "signed out" ? null : <ProblemNote title={title} failure={failure} />;
};

/** Says if a change can have reached the server. */
const unreachableWords = ({ isUnsent }: { readonly isUnsent?: true }) => (isUnsent ? "offline.act" : "unreachable.act");

/** A failure in one sentence. */
export const useFailureWords = () => {
  const { say } = useWords();
  return (failure: Failure): string => {
    switch (failure.kind) {
      case "refused":
        return failure.problem.errors?.map(({ message }) => message).join(" ") || failure.problem.detail;
      case "broken":
        return say("broken.act");
      case "put off":
        return failure.says;
      case "unreachable":
        return say(unreachableWords(failure));
      default:
        return say("away.act");
    }
  };
};

/** The failure of a question in one sentence. Nothing was sent to be saved, so it differs from that of a change. */
export const useReadFailureWords = () => {
  const { say } = useWords();
  return (failure: Failure): string => {
    switch (failure.kind) {
      case "refused":
        return failure.problem.errors?.map(({ message }) => message).join(" ") || failure.problem.detail;
      case "broken":
        return say("broken.asked");
      case "put off":
        return failure.says;
      case "unreachable":
        return say("unreachable.act.short");
      case "away":
        return say("away.asked");
      case "signed out":
        return "";
    }
  };
};

/** Several errors, each with its "Why?" and linked to its field if `mendAt` knows it. */
export const ProblemList = ({
  several,
  mendAt,
}: {
  several: readonly ProblemAt[];
  mendAt?: ((at: string) => string | null) | undefined;
}) => (
  <ul>
    {several.map((problemAt) => {
      const to = mendAt?.(problemAt.at) ?? null;
      return (
        <li key={`${problemAt.at} ${problemAt.code}`}>
          <WhySentence words={problemAt.message} clause={problemAt.clause}>
            {to === null ? problemAt.message : <Link href={to}>{problemAt.message}</Link>}{" "}
            {problemAt.help && <span className="help-words">{problemAt.help}</span>}
          </WhySentence>
        </li>
      );
    })}
  </ul>
);

/** The reasons of a refusal, each with its "Why?". */
export const RefusedWords = ({
  failure: { problem },
  mendAt,
}: {
  failure: Extract<Failure, { kind: "refused" }>;
  mendAt?: ((at: string) => string | null) | undefined;
}) => {
  const several = problem.errors ?? [];
  if (several.length > 0) return <ProblemList several={several} mendAt={mendAt} />;
  return (
    <div className="note-words">
      <WhySentence words={problem.detail} clause={problem.clause}>
        {problem.detail} {problem.help}
      </WhySentence>{" "}
      {problem.undecided && <AskForDecision question={{ do: problem.undecided }} />}
    </div>
  );
};
