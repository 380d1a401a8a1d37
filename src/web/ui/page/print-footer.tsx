import { useApplication, usePrinting } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";

/** On paper: version of the document, and time of printing. */
export const PrintFooter = () => {
  const { name, version } = useApplication();
  const { say, show } = useWords();
  if (!usePrinting()) return null;
  const moment = show.moment(new Date().toISOString());
  return <p className="paper-foot">{say("paper.foot", { name, version: String(version), moment })}</p>;
};
