import { lazy, type ReactNode, useState } from "react";
import { useWords } from "../../i18n/words.tsx";
import { importWithRetries, RENEWAL_DELAY } from "../../util/import-with-retries.ts";
import { Button } from "../control/button.tsx";
import { Dialog } from "../overlay/dialog.tsx";

type Drawing<P> = (props: P) => ReactNode;
type Load<P> = () => Promise<{ readonly default: Drawing<P> }>;

interface RetryProps {
  readonly onRetry: () => void;
}

/**
 * A component whose code is loaded on demand. If loading fails several times, `instead` is rendered, or the nearest error
 * boundary. Both offer to load it again, and so does the next page that needs it.
 */
export const lazyComponent = <P extends object>(load: Load<P>, instead?: Drawing<P & RetryProps>): Drawing<P> => {
  const create = () =>
    lazy(async (): Promise<{ readonly default: Drawing<P & RetryProps> }> => {
      try {
        return await importWithRetries(load);
      } catch (thrown) {
        setTimeout(() => {
          Current = create();
        }, RENEWAL_DELAY);
        if (instead === undefined) throw thrown;
        return { default: instead };
      }
    });
  let Current = create();
  return (props: P) => {
    const [Component, setComponent] = useState(() => Current);
    const onRetry = () => {
      Current = create();
      setComponent(() => Current);
    };
    return <Component {...props} onRetry={onRetry} />;
  };
};

/** One line in place of a component that could not be loaded. */
export const PageNotLoaded = ({ onRetry }: RetryProps) => {
  const { say } = useWords();
  return (
    <p className="not-loaded small-words" role="status">
      {say("later.title")}. {say("later.words")}
      <Button small look="quiet" icon="retry" onClick={onRetry}>
        {say("broken.retry")}
      </Button>
    </p>
  );
};

/** For components that open above a page: if loading fails, a dialog says so and the page remains. */
export const lazyDialog = <P extends { readonly onClose: () => void }>(load: Load<P>): Drawing<P> =>
  lazyComponent(load, NotOpened);

const NotOpened = ({ onClose, onRetry }: { readonly onClose: () => void } & RetryProps) => {
  const { say } = useWords();
  return (
    <Dialog title={say("later.title")} onClose={onClose}>
      <p className="dialog-words">{say("later.words")}</p>
      <footer className="dialog-foot">
        <Button onClick={onClose}>{say("close")}</Button>
        <Button look="primary" icon="retry" onClick={onRetry}>
          {say("broken.retry")}
        </Button>
      </footer>
    </Dialog>
  );
};
