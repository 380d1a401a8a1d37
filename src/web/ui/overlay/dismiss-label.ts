import { useWords } from "../../i18n/words.tsx";

/** The button that leaves a dialog without its act: “Cancel”, or “Go back” if the act itself is to cancel something. */
export const useDismissLabel = (act: string): string => {
  const { say } = useWords();
  const cancel = say("form.cancel");
  return act.toLowerCase().includes(cancel.toLowerCase()) ? say("form.back") : cancel;
};
