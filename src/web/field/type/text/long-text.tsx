import { LinkedText } from "../../control/linked-text.tsx";
import { MentionArea } from "../../control/mention-area.tsx";
import { controlProps, enteredText, type FieldView, never } from "../../field.ts";

export const longText: FieldView = {
  Shown: ({ value, cell }) =>
    cell ? (
      <bdi>{String(value)}</bdi>
    ) : (
      <p className="long-text" dir="auto">
        <LinkedText text={String(value)} />
      </p>
    ),
  Input: (props) => (
    <MentionArea
      {...controlProps(props)}
      className="box area"
      rows={4}
      text={enteredText(props.entered)}
      onText={props.onEnter}
      mentions={props.field.mentions === true}
    />
  ),
  wide: true,
  end: false,
  group: never,
};
