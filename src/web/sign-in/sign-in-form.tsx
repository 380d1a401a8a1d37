import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
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

/** `isNew`: it replaces what the person has just pressed, so it gets the focus. */
export const FrontMessage = ({
  title,
  isNew = false,
  children,
}: {
  title: string;
  isNew?: boolean;
  children: ReactNode;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  return (
    <div className="front-form">
      <h1 ref={heading} tabIndex={isNew ? -1 : undefined}>
        {title}
      </h1>
      {children}
    </div>
  );
};

/** The server knows nothing of the link: it was used, or has expired. */
export const isLinkGone = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.problem.code === "LINK_USED";

interface UnreadLinkProps {
  /** The page to which the link leads. */
  readonly title: string;
  readonly failure: Failure;
  readonly busy: boolean;
  /** It replaces a form that the person has just sent. */
  readonly isNew?: boolean;
  readonly onRetry: () => void;
  /** Leads to the sign-in page. */
  readonly onSignIn: () => void;
  /** Asks for a new link; without it, only the sender of the link can send another. */
  readonly onNewLink?: (() => void) | undefined;
}

/** Replaces the form of a link that cannot be read: it is used or has expired, or the server did not answer. */
export const UnreadLink = ({ title, failure, busy, isNew, onRetry, onSignIn, onNewLink }: UnreadLinkProps) => {
  const { say } = useWords();
  if (failure.kind !== "refused")
    return (
      <FrontMessage title={title}>
        <SignInProblem failure={failure} title={title} />
        <Button look="primary" className="large" busy={busy} onClick={onRetry}>
          {say("broken.retry")}
        </Button>
      </FrontMessage>
    );
  return (
    <FrontMessage title={say("set.gone")} isNew={isNew ?? false}>
      <p className="front-words">{say(onNewLink ? "set.gone.again" : "set.gone.words")}</p>
      {onNewLink && (
        <Button look="primary" className="large" onClick={onNewLink}>
          {say("set.gone.new")}
        </Button>
      )}
      <Button look={onNewLink ? "quiet" : "primary"} className="large" onClick={onSignIn}>
        {say("sign.in.title")}
      </Button>
    </FrontMessage>
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
          autoCapitalize={autoComplete === "name" ? "words" : "none"}
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
