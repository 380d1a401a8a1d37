import { Component, type ReactNode, useEffect, useRef } from "react";
import { useClient, useStore } from "../app/app-context.tsx";
import { BrokenRegion, RetryingNote } from "../ui/page/region-status.tsx";

interface Props {
  readonly children: ReactNode;
}

/** Limits an error to the screen where it occurs; the frame keeps working. */
export class ScreenBoundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(thrown: unknown) {
    console.error(thrown);
  }

  override render() {
    return this.state.failed ? (
      <div className="whole-page">
        <FailedScreen retry={() => this.setState({ failed: false })} />
      </div>
    ) : (
      this.props.children
    );
  }
}

/** Without a connection, the code of a screen cannot be loaded. It is loaded as soon as the connection is back. */
const FailedScreen = ({ retry }: { readonly retry: () => void }) => {
  const { connection } = useClient();
  const state = useStore(connection);
  const hasWaited = useRef(false);
  useEffect(() => {
    if (state !== "reached") hasWaited.current = true;
    else if (hasWaited.current) retry();
  }, [state, retry]);
  return state === "reached" ? (
    <BrokenRegion reference={null} fillsPage retry={retry} />
  ) : (
    <RetryingNote failure={state === "away" ? "away" : "unreachable"} fillsPage />
  );
};
