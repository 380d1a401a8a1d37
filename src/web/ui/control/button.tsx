import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "../icon.tsx";

export type Look = "plain" | "primary" | "quiet" | "danger";

export const buttonClass = (look: Look = "plain", more = "") =>
  ["button", look === "plain" ? "" : look, more].filter(Boolean).join(" ");

interface ButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly look?: Look;
  readonly small?: boolean;
  readonly icon?: IconName;
  /** True while a request is in progress: the button keeps its width and ignores presses. */
  readonly busy?: boolean;
  readonly children: ReactNode;
}

export const Button = ({
  look = "plain",
  small,
  icon,
  busy = false,
  className = "",
  onClick,
  children,
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    className={buttonClass(look, `${small ? "small" : ""} ${className}`.trim())}
    {...rest}
    {...(busy && { "aria-busy": true, "aria-disabled": true })}
    onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
  >
    {icon && <Icon name={icon} />}
    <span className="button-words">{children}</span>
  </button>
);

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  readonly icon: IconName;
  /** The accessible name, including the record if there are several: "More for Folding ladder". */
  readonly label: string;
  readonly small?: boolean;
  readonly look?: Look;
  readonly size?: number;
  /** Text beside the icon in wide windows (`.list-tools`), part of the label. */
  readonly words?: string;
}

export const IconButton = ({
  icon,
  label,
  small,
  look = "quiet",
  size = 16,
  className = "",
  words,
  ...rest
}: IconButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    className={buttonClass(
      look,
      `icon-only ${small ? "small" : ""} ${words === undefined ? "" : "worded"} ${className}`.trim(),
    )}
    {...rest}
  >
    <Icon name={icon} size={size} />
    {words !== undefined && <span className="button-words">{words}</span>}
  </button>
);
