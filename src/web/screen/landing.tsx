import { useQuery } from "@tanstack/react-query";
import { keys } from "../client/queries.ts";
import { buttonClass } from "../part/button.tsx";
import { useApplication, useClient, useTitle } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { useWords } from "../words/words.tsx";

/** An application that shows this person no screen: an administrator is led to what nobody decided. */
export const Landing = () => {
  const { name, sentence, person } = useApplication();
  const { calls } = useClient();
  const { say } = useWords();
  useTitle(name);
  const leads = person?.administrator ?? false;
  const { data } = useQuery({
    queryKey: keys.openPoints,
    queryFn: ({ signal }) => calls.openPoints(signal),
    enabled: leads,
  });
  return (
    <div className="whole-page landing">
      <h1>{name}</h1>
      {sentence && <blockquote>{sentence}</blockquote>}
      {leads ? (
        <>
          <p className="landing-words">{say("landing.administrator")}</p>
          <p>
            <Link href="/workbench" className={buttonClass("primary")}>
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
