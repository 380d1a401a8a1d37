import type { ComponentProps, ReactNode } from "react";
import { controlProps, enteredText, type InputProps } from "../field.ts";

type TextBoxProps = InputProps & {
  readonly type?: "text" | "email" | "url" | "tel";
  readonly inputMode?: ComponentProps<"input">["inputMode"];
  readonly autoComplete?: string;
  readonly className?: string;
  readonly dir?: "ltr";
  /** Content after the text, inside the box: a unit. */
  readonly after?: ReactNode;
};

/** The single-line input used by most types. */
export const TextBox = ({
  type = "text",
  inputMode,
  autoComplete = "off",
  className = "",
  dir,
  after,
  ...props
}: TextBoxProps) => (
  <div className="box">
    <input
      {...controlProps(props)}
      type={type}
      inputMode={inputMode}
      autoComplete={autoComplete}
      className={className}
      dir={dir ?? (enteredText(props.entered) === "" ? undefined : "auto")}
      value={enteredText(props.entered)}
      onChange={(event) => props.onEnter(event.currentTarget.value)}
    />
    {after}
  </div>
);
