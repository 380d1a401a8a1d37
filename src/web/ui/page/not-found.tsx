import { useQuery } from "@tanstack/react-query";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient, usePerson, useStore, useTitle } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { findSubject } from "../../routing/routes.ts";
import { Button, buttonClass } from "../control/button.tsx";
import { Link } from "../link.tsx";
import { AskForDecision } from "./ask-for-decision.tsx";
import { RegionNote } from "./region-status.tsx";

/** An unknown address, or one that the user cannot know of: the same text for both. */
export const NotFound = () => {
  const { say } = useWords();
  const { calls, navigation, permissionQuestion } = useClient();
  const person = usePerson();
  useTitle(say("nowhere.title"));
  const { path } = useStore(navigation);
  const { screens, entities } = useApplication();
  const home = screens.find((screen) => screen.path === "/");
  // For a record, the user can ask what its visibility depends on, whether or not it exists.
  const subject = findSubject(screens, path);
  const wanted =
    subject?.record != null && entities[subject.entity] ? { entity: subject.entity, record: subject.record } : null;
  const { data } = useQuery({
    queryKey: keys.undecidedAt(path),
    queryFn: ({ signal }) => calls.undecidedAt(path, signal),
    enabled: person !== null,
    retry: false,
  });
  return (
    <div className="whole-page">
      <RegionNote
        fillsPage
        icon="nowhere"
        title={say("nowhere.title")}
        actions={
          <>
            <Link href="/" className={buttonClass("plain", "small")}>
              {home ? say("nowhere.screen", { screen: home.title }) : say("nowhere.home")}
            </Link>
            {wanted && (
              <Button
                small
                icon="why"
                aria-haspopup="dialog"
                onClick={() => permissionQuestion.set({ ...wanted, what: "read", field: "" })}
              >
                {say("may.ask")}
              </Button>
            )}
          </>
        }
      >
        <p>{say("nowhere.words")}</p>
        {data?.undecided && (
          <p>
            {say("nowhere.undecided")} <AskForDecision question={{ do: data.undecided, where: path }} />
          </p>
        )}
      </RegionNote>
    </div>
  );
};
