import { useApplication } from "../../../app/app-context.tsx";
import { StateWord } from "../../../ui/state-mark.tsx";
import { findEntityOfField } from "../../approval-count.tsx";
import type { FieldView, ShownProps } from "../../field.ts";
import { choice } from "./choice.tsx";

const Shown = (props: ShownProps) => {
  const { entities } = useApplication();
  const states = findEntityOfField(props.field, entities)?.states?.states;
  const state = states?.find(({ name }) => name === props.value);
  return state ? <StateWord state={state} /> : choice.Shown(props);
};

export const state: FieldView = { ...choice, Shown };
