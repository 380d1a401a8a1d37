import { useQuery } from "@tanstack/react-query";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { buttonClass } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";

/** Start page of an application without screens for this person: administrators are sent to the open points. */
export const Landing = () => {
  const { name, sentence, person, entities } = useApplication();
  const isEmpty = Object.keys(entities).every((entity) => entity === "User");
  const { calls } = useClient();
  const { say } = useWords();
  useTitle(name);
  const isAdministrator = person?.administrator ?? false;
  const { data } = useQuery({
    queryKey: keys.openPoints,
    queryFn: ({ signal }) => calls.openPoints(signal),
    enabled: isAdministrator,
  });
  return (
    <div className="whole-page landing">
      <h1>{name}</h1>
      {sentence && <blockquote>{sentence}</blockquote>}
      {isAdministrator ? (
        <>
          <p className="landing-words">{say(isEmpty ? "start.invite" : "landing.administrator")}</p>
          <p className="landing-ways">
            {isEmpty && (
              <Link href="/workbench/start" className={buttonClass("primary")}>
                <Icon name="plus" />
                {say("start.invite.do")}
              </Link>
            )}
            <Link href="/workbench" className={buttonClass(isEmpty ? "plain" : "primary")}>
              <Icon name="document" />
              {data ? say("landing.open", { count: data.open.length }) : say("landing.open.any")}
            </Link>
          </p>
        </>
      ) : (
        <p className="landing-words">{say(person ? "landing.person" : "landing.nobody")}</p>
      )}
    </div>
  );
};
