import "../../control/rendered-markdown.css";
import { controlProps, enteredText, type FieldView, never, type ShownProps } from "../../field.ts";

const Shown = ({ value, cell }: ShownProps) =>
  cell ? (
    <code className="cut">{JSON.stringify(value)}</code>
  ) : (
    <pre className="json">{JSON.stringify(value, null, 2)}</pre>
  );

export const json: FieldView = {
  Shown,
  Input: (props) => (
    <textarea
      {...controlProps(props)}
      className="box area json"
      rows={6}
      spellCheck={false}
      autoComplete="off"
      value={enteredText(props.entered)}
      onChange={(event) => props.onEnter(event.currentTarget.value)}
    />
  ),
  wide: true,
  end: false,
  group: never,
};
