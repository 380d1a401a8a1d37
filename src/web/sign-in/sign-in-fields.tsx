import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import type { Failure } from "../api/api-error.ts";
import { hasFinePointer } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProblemList } from "../ui/page/problem-note.tsx";

export const SignInProblem = ({ failure, title }: { failure: Failure | null; title: string }) => {
  const { say } = useWords();
  const note = useRef<HTMLDivElement>(null);
  // As it appears: later, it would take the focus from a box in which somebody already corrects the input.
  useLayoutEffect(() => {
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
