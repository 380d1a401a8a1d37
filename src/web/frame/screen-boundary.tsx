import { Component, type ReactNode } from "react";
import { BrokenRegion } from "../ui/page/region-status.tsx";

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
        <BrokenRegion reference={null} fillsPage retry={() => this.setState({ failed: false })} />
      </div>
    ) : (
      this.props.children
    );
  }
}
