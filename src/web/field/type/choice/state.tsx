import type { Application } from "../../../../core/wire/application.ts";
import type { FieldJson, StateJson } from "../../../../core/wire/entities.ts";
import { useApplication } from "../../../app/app-context.tsx";
import { StateWord } from "../../../ui/state-mark.tsx";
import type { FieldView, ShownProps } from "../../field.ts";
import { choice } from "./choice.tsx";

/** States by field, cached per manifest because every row needs them. */
const known = new WeakMap<Application["entities"], ReadonlyMap<FieldJson, readonly StateJson[]>>();

const findStates = (field: FieldJson, entities: Application["entities"]): readonly StateJson[] => {
  let states = known.get(entities);
  if (states === undefined) {
    states = new Map(
      Object.values(entities).flatMap((entity) =>
        entity.fields.map((one) => [one, entity.states?.states ?? []] as const),
      ),
    );
    known.set(entities, states);
  }
  return states.get(field) ?? [];
};

const Shown = (props: ShownProps) => {
  const { entities } = useApplication();
  const state = findStates(props.field, entities).find(({ name }) => name === props.value);
  return state ? <StateWord state={state} /> : choice.Shown(props);
};

export const state: FieldView = { ...choice, Shown };
