import { type ComponentProps, type Ref, useId } from "react";
import { Icon } from "../ui/icon.tsx";
import "../form/form.css";

interface TextFieldProps extends Omit<ComponentProps<"input">, "id" | "value" | "onChange" | "children"> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The reason why the value is refused. */
  readonly error?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A labelled text box in a dialog. */
export const TextField = ({ label, value, onChange, error, ...rest }: TextFieldProps) => {
  const id = useId();
  return (
    <div className={error === undefined ? "form-field" : "form-field bad"}>
      <div className="form-label">
        <label htmlFor={id} className="break">
          {label}
        </label>
      </div>
      <div className="box">
        <input
          {...rest}
          id={id}
          value={value}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {error !== undefined && (
        <div id={`${id}-error`} className="mend" role="alert">
          <Icon name="alert" />
          <div className="mend-words">{error}</div>
        </div>
      )}
    </div>
  );
};
