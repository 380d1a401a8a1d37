import { useEffect } from "react";
import type { StateMarkJson } from "../../../core/wire/entities.ts";
import { useClient, useStore, useTools } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../control/button.tsx";
import { Icon } from "../icon.tsx";
import { StateMark } from "../state-mark.tsx";

const shownFor = 6_000;
/** Milliseconds during which an action can be undone. */
const undoneFor = 15_000;

/** Announcements for screen readers, and a short note after the user's own action. Errors never appear here. */
export const LiveRegions = () => {
  const { toast, polite, assertive } = useClient();
  const { say } = useWords();
  const note = useStore(toast);
  const quiet = useStore(polite);
  const loud = useStore(assertive);

  const undo =
    note?.undo &&
    (() => {
      toast.set(null);
      note.undo?.();
    });
  // With keys, the palette is nearer than the end of the page.
  useTools(note && undo ? { [say("label.value", { label: say("toast.undo"), value: note.text })]: undo } : {});

  useEffect(() => {
    if (!note) return;
    const timer = setTimeout(() => toast.set(null), note.undo ? undoneFor : shownFor);
    return () => clearTimeout(timer);
  }, [note, toast]);

  return (
    <>
      <div className="hidden-words spoken" role="status" aria-live="polite">
        {quiet && <span key={quiet.at}>{quiet.text}</span>}
      </div>
      <div className="hidden-words spoken" role="alert" aria-live="assertive">
        {loud && <span key={loud.at}>{loud.text}</span>}
      </div>
      <div className="toasts" role="status">
        {note && (
          <div className="toast" key={note.at}>
            {note.mark ? <StateMark mark={note.mark} /> : <Icon name="check" />}
            <span>{note.text}</span>
            {undo && (
              <Button small look="quiet" onClick={undo}>
                {say("toast.undo")}
              </Button>
            )}
            <IconButton icon="close" label={say("close")} small onClick={() => toast.set(null)} />
          </div>
        )}
      </div>
    </>
  );
};

/** Announces the result of the user's own action, and shows it briefly. */
export const useToast = () => {
  const { toast } = useClient();
  return (text: string, undo?: () => void, mark?: StateMarkJson) =>
    toast.set({ ...createAnnouncement(text), ...(undo && { undo }), ...(mark && { mark }) });
};

export const useAnnounce = () => {
  const { polite, assertive } = useClient();
  return {
    politely: (text: string) => polite.set(createAnnouncement(text)),
    atOnce: (text: string) => assertive.set(createAnnouncement(text)),
  };
};
