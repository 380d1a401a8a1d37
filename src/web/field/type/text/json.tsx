import "../../control/rendered-markdown.css";
import { type FieldView, never, type ShownProps } from "../../field.ts";

const Shown = ({ value, cell }: ShownProps) =>
  cell ? (
    <code className="cut">{JSON.stringify(value)}</code>
  ) : (
    <pre className="json">{JSON.stringify(value, null, 2)}</pre>
  );

export const json: FieldView = {
  Shown,
  wide: true,
  end: false,
  group: never,
};
