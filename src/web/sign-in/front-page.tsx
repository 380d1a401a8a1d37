import type { ReactNode } from "react";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { AppMark } from "../ui/avatar.tsx";
import { ThemeButton } from "../ui/control/theme.tsx";
import { Icon } from "../ui/icon.tsx";
import { Main } from "../ui/page/page.tsx";

/** The sentence from point 1 beside the form. */
export const FrontPage = ({ children }: { children: ReactNode }) => {
  const application = useApplication();
  const { say } = useWords();
  return (
    <div className="front-page">
      {application.signIn.demonstration && (
        <header className="trial-bar">
          <Icon name="alert" />
          <p>{say("trial.bar")}</p>
        </header>
      )}
      <div className="front">
        <section className="front-says" aria-label={say("sign.in.about", { name: application.name })}>
          <p className="brand">
            <AppMark />
            <span>{application.name}</span>
          </p>
          {application.sentence && (
            <div className="front-sentence">
              <blockquote>{application.sentence}</blockquote>
              <p className="small-words">{say("sign.in.sentence.from")}</p>
            </div>
          )}
        </section>
        <Main className="front-asks">
          {children}
          {/* Last, so that the first field or person is the first stop of Tab. */}
          <ThemeButton className="front-theme" />
        </Main>
      </div>
    </div>
  );
};
