import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import type { Application } from "../../core/wire/application.ts";
import type { Failure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { hasFinePointer, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProblemList } from "../ui/page/problem-note.tsx";

/** Parts of the forms for sign-in and registration. */

/** Loads the application for the new user; nothing of the previous one is kept. */
export const useReloadForUser = () => {
  const queries = useQueryClient();
  const { calls, signedOut } = useClient();
  return async (): Promise<Application> => {
    const application = await calls.application();
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.application[0] });
    queries.setQueryData(keys.application, application);
    signedOut.set(false);
    return application;
  };
};

export const SignInProblem = ({ failure, title }: { failure: Failure | null; title: string }) => {
  const { say } = useWords();
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure) note.current?.focus();
  }, [failure]);
  if (!failure || failure.kind === "signed out") return null;
  const problem = failure.kind === "refused" ? failure.problem : null;
  const several = problem?.errors ?? [];
  return (
    <div className="note bad" role="alert" tabIndex={-1} ref={note}>
      <Icon name="alert" size={18} />
      <div className="grow">
        {several.length > 0 ? (
          <>
            <h2>{title}</h2>
            <ProblemList several={several} />
          </>
        ) : (
          <p>
            {problem
              ? `${problem.detail} ${problem.help ?? ""}`.trim()
              : failure.kind === "put off"
                ? failure.says
                : say(
                    failure.kind === "broken"
                      ? "broken.act"
                      : failure.kind === "away"
                        ? "away.act"
                        : "unreachable.act.short",
                  )}
          </p>
        )}
      </div>
    </div>
  );
};

interface UnreadLinkProps {
  /** The page to which the link leads. */
  readonly title: string;
  readonly failure: Failure;
  readonly busy: boolean;
  readonly onRetry: () => void;
  /** Leads to the sign-in page. */
  readonly onSignIn: () => void;
}

/** Replaces the form of a link that cannot be read: it is used or has expired, or the server did not answer. */
export const UnreadLink = ({ title, failure, busy, onRetry, onSignIn }: UnreadLinkProps) => {
  const { say } = useWords();
  const isGone = failure.kind === "refused";
  return (
    <div className="front-form">
      <h1>{isGone ? say("set.gone") : title}</h1>
      {isGone ? (
        <p className="front-words">{say("set.gone.words")}</p>
      ) : (
        <SignInProblem failure={failure} title={title} />
      )}
      <Button look="primary" className="large" busy={busy} onClick={isGone ? onSignIn : onRetry}>
        {say(isGone ? "sign.in.title" : "broken.retry")}
      </Button>
    </div>
  );
};

interface FrontFieldProps {
  readonly label: string;
  readonly type: "text" | "email";
  readonly autoComplete: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly focus?: boolean;
}

/** Focuses a box at first, unless that would open the keyboard of a phone over the page. */
const useFocusedBox = (focus: boolean) => {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus && hasFinePointer()) box.current?.focus({ preventScroll: true });
  }, [focus]);
  return box;
};

export const SignInField = ({ label, type, autoComplete, value, onChange, focus = false }: FrontFieldProps) => {
  const id = useId();
  const box = useFocusedBox(focus);
  return (
    <div className="front-field">
      <label htmlFor={id}>{label}</label>
      <div className="box">
        <input
          ref={box}
          id={id}
          type={type}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          required
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  );
};

export const PasswordField = ({
  label,
  autoComplete,
  value,
  onChange,
  focus = false,
}: Omit<FrontFieldProps, "type">) => {
  const { say } = useWords();
  const id = useId();
  const box = useFocusedBox(focus);
  const [shown, setShown] = useState(false);
  return (
    <div className="front-field">
      <label htmlFor={id}>{label}</label>
      <div className="box">
        <input
          ref={box}
          id={id}
          type={shown ? "text" : "password"}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          required
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <IconButton
          icon={shown ? "hide" : "show"}
          small
          label={say(shown ? "sign.in.hide" : "sign.in.show")}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        />
      </div>
    </div>
  );
};
