import type { ReactNode } from "react";

interface CheckBoxProps {
  readonly checked: boolean;
  readonly onTurn: (checked: boolean) => void;
  /** True while the change is being saved. */
  readonly busy?: boolean;
  /** A class that depends on its surroundings. */
  readonly className?: string;
  /** The statement that is true when checked. */
  readonly children: ReactNode;
}

/** A checkbox with its label. */
export const CheckBox = ({ checked, onTurn, busy = false, className = "", children }: CheckBoxProps) => (
  <label className={`check-box ${className}`.trim()} aria-busy={busy || undefined}>
    <input type="checkbox" checked={checked} onChange={(event) => onTurn(event.currentTarget.checked)} />
    <span>{children}</span>
  </label>
);
