import type { ReactNode } from "react";

interface OptionButtonProps {
  readonly id: string;
  readonly className: string;
  /** The text box refers to this option by its id. */
  readonly isActive: boolean;
  readonly isRefused?: boolean;
  readonly onChoose: () => void;
  readonly onPoint?: () => void;
  readonly children: ReactNode;
}

/** An option in a list below a text box. The focus stays in the box, also after a press on the option. */
export const OptionButton = ({
  id,
  className,
  isActive,
  isRefused = false,
  onChoose,
  onPoint,
  children,
}: OptionButtonProps) => (
  <button
    id={id}
    type="button"
    role="option"
    tabIndex={-1}
    className={className}
    aria-selected={isActive}
    aria-disabled={isRefused ? true : undefined}
    onPointerDown={(event) => event.preventDefault()}
    onPointerMove={onPoint}
    onClick={onChoose}
  >
    {children}
  </button>
);
