import type { ReactNode } from "react";

interface CheckBoxProps {
  readonly checked: boolean;
  readonly onTurn: (checked: boolean) => void;
  /** What it turned to is on its way. */
  readonly busy?: boolean;
  /** Where it stands, if that changes how it looks. */
  readonly className?: string;
  /** What is so while it is checked. */
  readonly children: ReactNode;
}

/** Something that is so or is not: a box, and the words that turn it too. */
export const CheckBox = ({ checked, onTurn, busy = false, className = "", children }: CheckBoxProps) => (
  <label className={`check-box ${className}`.trim()} aria-busy={busy || undefined}>
    <input type="checkbox" checked={checked} onChange={(event) => onTurn(event.currentTarget.checked)} />
    <span>{children}</span>
  </label>
);
