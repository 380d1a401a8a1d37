import { enteredLines, hasSeparateControls, joinValues, splitValues } from "../format/input-value.ts";
import { useWords } from "../i18n/words.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { controlProps, enteredText, type InputProps } from "./field.ts";
import { LateFilesInput } from "./input/late-inputs.tsx";
import { inputs } from "./inputs.ts";
import { ReferencesInput } from "./references.tsx";

/** Several values of a field: checkboxes, a list of files or records, or one line or control per value. */
export const MultiValueInput = (props: InputProps) => {
  if (props.field.type === "file" || props.field.type === "image") return <LateFilesInput {...props} />;
  if (props.field.type === "reference") return <ReferencesInput {...props} />;
  if (hasSeparateControls(props.field)) return <Each {...props} />;
  return props.field.values ? <Ticks {...props} /> : <Lines {...props} />;
};

const Ticks = ({ field, labelId, entered, onEnter, onLeave, describedBy }: InputProps) => {
  const chosen = enteredLines(enteredText(entered));
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
      value={enteredText(props.entered)}
      onChange={(event) => props.onEnter(event.currentTarget.value)}
    />
  );
};

/** One control per value, and a button to add another. */
const Each = (props: InputProps) => {
  const { field, labelId, id, entered, onEnter, describedBy } = props;
  const { say } = useWords();
  const Input = inputs[field.type];
  const values = splitValues(enteredText(entered));
  const setValue = (at: number, value: string) => onEnter(joinValues(values.with(at, value)));
  return (
    <fieldset className="each" aria-labelledby={labelId} aria-describedby={describedBy}>
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values are identified by position
        <div className="each-one" key={at}>
          <Input
            {...props}
            id={at === 0 ? id : `${id}-${at}`}
            entered={value}
            onEnter={(one) => setValue(at, enteredText(one))}
          />
          {values.length > 1 && (
            <IconButton
              icon="close"
              small
              label={say("each.remove", { field: field.label, number: at + 1 })}
              onClick={() => onEnter(joinValues(values.toSpliced(at, 1)))}
            />
          )}
        </div>
      ))}
      <Button small icon="plus" onClick={() => onEnter(joinValues([...values, ""]))}>
        {say("each.add")}
      </Button>
    </fieldset>
  );
};
