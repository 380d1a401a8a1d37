import { buttonClass } from "../part/button.tsx";
import { useTitle } from "../part/context.tsx";
import { Link } from "../part/link.tsx";
import { RegionNote } from "../part/region.tsx";
import { useWords } from "../words/words.tsx";

/** An address that leads nowhere, or to what this person may not know of: the same words for both. */
export const NotFound = () => {
  const { say } = useWords();
  useTitle(say("nowhere.title"));
  return (
    <div className="whole-page">
      <h1 className="hidden-words">{say("nowhere.title")}</h1>
      <RegionNote
        icon="nowhere"
        title={say("nowhere.title")}
        actions={
          <Link href="/" className={buttonClass("plain", "small")}>
            {say("nowhere.home")}
          </Link>
        }
      >
        <p>{say("nowhere.words")}</p>
      </RegionNote>
    </div>
  );
};
