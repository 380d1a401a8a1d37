import { type ReactNode, useState } from "react";
import { useWords } from "../../i18n/words.tsx";
import { importWithRetries, RENEWAL_DELAY } from "../../util/import-with-retries.ts";
import { keepResult, useLoaded } from "../../util/loading-boundary.tsx";
import { Button } from "../control/button.tsx";
import { Dialog } from "../overlay/dialog.tsx";

type Drawing<P> = (props: P) => ReactNode;
type Load<P> = () => Promise<{ readonly default: Drawing<P> }>;

interface RetryProps {
  readonly onRetry: () => void;
}

/** A component whose code is loaded when it is first rendered, or before that with `load`. */
export type LazyComponent<P> = Drawing<P> & {
  /** Loads the code in advance. If this fails, the next render loads it again. */
  load(): void;
};

/**
 * A component whose code is loaded on demand. If loading fails several times, `instead` is rendered, or the nearest error
 * boundary. Both offer to load it again, and so does the next page that needs it.
 */
export const lazyComponent = <P extends object>(load: Load<P>, instead?: Drawing<P & RetryProps>): LazyComponent<P> => {
  type Component = Drawing<P & RetryProps>;
  const loadComponent = async (): Promise<Component> => {
    try {
      return (await importWithRetries(load)).default;
    } catch (thrown) {
      setTimeout(() => {
        loading = null;
      }, RENEWAL_DELAY);
      if (instead === undefined) throw thrown;
      return instead;
    }
  };
  let loading: Promise<Component> | null = null;
  const begin = (): Promise<Component> => {
    loading ??= keepResult(loadComponent());
    return loading;
  };
  const Lazy = (props: P) => {
    const [begun, setBegun] = useState(begin);
    const Component = useLoaded(begun);
    const onRetry = () => {
      loading = null;
      setBegun(begin());
    };
    return <Component {...props} onRetry={onRetry} />;
  };
  return Object.assign(Lazy, { load: () => void begin() });
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
export const lazyDialog = <P extends { readonly onClose: () => void }>(load: Load<P>): LazyComponent<P> =>
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
