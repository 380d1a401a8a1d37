import type { ReactNode } from "react";
import "./dotted.css";

/**
 * One of several short texts with dots between them, by its place. In a container of the class `dotted`, which wraps
 * between them, no dot begins or ends a line.
 */
export const Dotted = ({ at, children }: { readonly at: number; readonly children: ReactNode }) => (
  <span className="dotted-item">
    {at > 0 && <span className="dotted-dot"> · </span>}
    {children}
  </span>
);
