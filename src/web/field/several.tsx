import { linesOf } from "../client/entered.ts";
import { useWords } from "../words/words.tsx";
import { controlProps, type InputProps, textOf } from "./field.ts";
import { FilesInput } from "./file.tsx";

/** Several values of one field: choices to tick, files to add, anything else a line each. */
export const SeveralInput = (props: InputProps) => {
  if (props.field.type === "file" || props.field.type === "image") return <FilesInput {...props} />;
  return props.field.values ? <Ticks {...props} /> : <Lines {...props} />;
};

const Ticks = ({ field, labelId, entered, onEnter, onLeave, describedBy }: InputProps) => {
  const chosen = linesOf(textOf(entered));
  const values = field.values ?? [];
  const turn = (value: string) =>
    onEnter(
      values
        .map((one) => one.value)
        .filter((one) => (one === value ? !chosen.includes(one) : chosen.includes(one)))
        .join("\n"),
    );
  return (
    <fieldset className="ticks" aria-labelledby={labelId} aria-describedby={describedBy} onBlur={onLeave}>
      {values.map(({ value, label }) => (
        <label key={value} className="tick">
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => turn(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
};

const Lines = (props: InputProps) => {
  const { say } = useWords();
  return (
    <textarea
      {...controlProps(props)}
      className="box area"
      rows={3}
      placeholder={say("form.several")}
      value={textOf(props.entered)}
      onChange={(event) => props.onEnter(event.currentTarget.value)}
    />
  );
};
