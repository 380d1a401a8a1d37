import { useApplication } from "../part/context.tsx";
import { StateWord } from "../part/state-mark.tsx";
import { choice } from "./choice.tsx";
import type { FieldView, ShownProps } from "./field.ts";

const Shown = (props: ShownProps) => {
  const { entities } = useApplication();
  const state = Object.values(entities)
    .filter((entity) => entity.fields.includes(props.field))
    .flatMap((entity) => entity.states?.states ?? [])
    .find(({ name }) => name === props.value);
  return state ? <StateWord state={state} /> : choice.Shown(props);
};

/** A state is never asked for: it changes by its transitions alone. The control serves filters. */
export const state: FieldView = { ...choice, Shown };
