import { type ComponentType, lazy, type ReactNode, useState } from "react";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";
import { Dialog } from "../overlay/dialog.tsx";

type Load<P> = () => Promise<{ readonly default: ComponentType<P> }>;
type Drawing<P> = (props: P) => ReactNode;

const RETRY_DELAY = 1_000;

/**
 * A component whose code is loaded on demand. If loading fails, it is retried the next time it is needed; until then
 * `instead` is rendered, or the nearest error boundary.
 */
export const lazyComponent = <P extends object>(load: Load<P>, instead?: ComponentType<P>): Drawing<P> => {
  const make = () =>
    lazy(async () => {
      try {
        return await load();
      } catch (thrown) {
        // Not immediately: a suspended component is rendered from the start, which would retry endlessly.
        setTimeout(() => {
          Drawn = make();
        }, RETRY_DELAY);
        if (instead === undefined) throw thrown;
        return { default: instead };
      }
    });
  let Drawn = make();
  return (props: P) => {
    const [Component] = useState(() => Drawn);
    return <Component {...props} />;
  };
};

/** One line in place of a component that could not be loaded. */
export const PageNotLoaded = () => {
  const { say } = useWords();
  return (
    <p className="small-words" role="status">
      {say("later.title")}. {say("later.words")}
    </p>
  );
};

/** For components that open above a page: if loading fails, a dialog says so and the page remains. */
export const lazyDialog = <P extends { readonly onClose: () => void }>(load: Load<P>): Drawing<P> =>
  lazyComponent(load, NotOpened);

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
