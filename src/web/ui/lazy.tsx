import { type ComponentType, lazy, type ReactNode, useState } from "react";
import { useWords } from "../i18n/words.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

type Load<P> = () => Promise<{ readonly default: ComponentType<P> }>;
type Drawing<P> = (props: P) => ReactNode;

const again = 1_000;

/**
 * Drawn by a file that comes when it is needed. One that did not come is asked for again when it is needed again; in the
 * meantime `instead` is drawn, and without that the nearest boundary says so.
 */
export const later = <P extends object>(load: Load<P>, instead?: ComponentType<P>): Drawing<P> => {
  const make = () =>
    lazy(async () => {
      try {
        return await load();
      } catch (thrown) {
        // Not at once: whoever waits for this one is drawn from the beginning, and would ask without end.
        setTimeout(() => {
          Drawn = make();
        }, again);
        if (instead === undefined) throw thrown;
        return { default: instead };
      }
    });
  let Drawn = make();
  return (props: P) => {
    const [Held] = useState(() => Drawn);
    return <Held {...props} />;
  };
};

/** In the place of what did not come, in one line. */
export const NotCome = () => {
  const { say } = useWords();
  return (
    <p className="small-words" role="status">
      {say("later.title")}. {say("later.words")}
    </p>
  );
};

/** The same for what opens over a page: where it does not come, that is said over the page, and the page stays. */
export const laterOver = <P extends { readonly onClose: () => void }>(load: Load<P>): Drawing<P> =>
  later(load, NotOpened);

const NotOpened = ({ onClose }: { readonly onClose: () => void }) => {
  const { say } = useWords();
  return (
    <Dialog title={say("later.title")} onClose={onClose}>
      <p className="dialog-words">{say("later.words")}</p>
      <footer className="dialog-foot">
        <Button onClick={onClose}>{say("close")}</Button>
      </footer>
    </Dialog>
  );
};
