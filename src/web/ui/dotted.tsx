import type { ReactNode } from "react";
import "./dotted.css";

/** A text with at most so many letters stays in one line. */
const SHORT = 32;

/** The class of a text that is short enough to stay in one line: “Due in 3 days”. */
export const classIfShort = (text: string): string => (text.length <= SHORT ? "unbroken" : "");

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
