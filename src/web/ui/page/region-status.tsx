import type { ReactNode } from "react";
import type { Problem } from "../../../core/wire/problems.ts";
import type { Failure } from "../../api/api-error.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { AskForDecision } from "./ask-for-decision.tsx";
import { WhySentence } from "./why-sentence.tsx";

interface NoteProps {
  readonly icon: IconName;
  /** True if it is the whole page: its title is the page's. */
  readonly fillsPage?: boolean;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** A message in place of a region's content, in one or two sentences. */
export const RegionNote = ({ icon, fillsPage = false, title, children, actions }: NoteProps) => (
  <div className="region-note">
    <Icon name={icon} size={20} />
    {fillsPage ? <h1 className="region-title">{title}</h1> : <p className="region-title">{title}</p>}
    {children && <div className="region-words">{children}</div>}
    {actions && <div className="region-actions">{actions}</div>}
  </div>
);

/** Content that the user cannot see, with "Why?". It does not reveal whether records exist. */
export const RefusedNote = ({ problem }: { problem: Pick<Problem, "detail" | "clause" | "help" | "undecided"> }) => (
  <RegionNote icon="lock" title={problem.detail}>
    {(problem.help || problem.clause || problem.undecided) && (
      <div>
        <WhySentence words={problem.detail} clause={problem.clause}>
          {problem.help ?? ""}
        </WhySentence>{" "}
        {problem.undecided && <AskForDecision question={{ do: problem.undecided }} />}
      </div>
    )}
  </RegionNote>
);

export const BrokenRegion = ({
  reference,
  fillsPage = false,
  retry,
}: {
  reference: string | null;
  fillsPage?: boolean;
  retry: () => void;
}) => {
  const { say, rich } = useWords();
  return (
    <RegionNote
      icon="unplugged"
      fillsPage={fillsPage}
      title={say("broken.title")}
      actions={
        <Button small icon="retry" onClick={retry}>
          {say("broken.retry")}
        </Button>
      }
    >
      <p>
        {reference === null
          ? say("broken.words")
          : rich("broken.words.reference", { reference: <code className="reference">{reference}</code> })}
      </p>
    </RegionNote>
  );
};

/** A delayed response, retried automatically. */
export const RetryingNote = ({
  failure,
  fillsPage = false,
}: {
  failure: "away" | "put off" | "unreachable";
  fillsPage?: boolean;
}) => {
  const { say } = useWords();
  const title = { away: "away.title", "put off": "busy.title", unreachable: "unreachable.title" } as const;
  return (
    <RegionNote icon="offline" fillsPage={fillsPage} title={say(title[failure])}>
      <p>{say("waiting.words")}</p>
    </RegionNote>
  );
};

/** A region without data: refused, failed, or waiting. Null if the page handles it (signed out). */
export const FailedRegion = ({ failure, retry }: { failure: Failure; retry: () => void }) => {
  switch (failure.kind) {
    case "refused":
      return <RefusedNote problem={failure.problem} />;
    case "broken":
      return <BrokenRegion reference={failure.reference} retry={retry} />;
    case "away":
    case "put off":
    case "unreachable":
      return <RetryingNote failure={failure.kind} />;
    case "signed out":
      return null;
  }
};

/** A thin bar at the top of a region whose old content is shown while new content loads. */
export const Progress = ({ shown }: { shown: boolean }) =>
  shown ? <div className="progress" aria-hidden="true" /> : null;

/** A grey placeholder for a line of text. */
export const SkeletonLine = ({ width }: { width: string }) => <i className="bone" style={{ width }} />;
