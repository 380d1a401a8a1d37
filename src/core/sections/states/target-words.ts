const PREVIOUS = "previous";
const SAME = "same";

interface Named {
  readonly name: { readonly value: string };
}

interface States {
  readonly states?: readonly Named[] | undefined;
}

interface Target {
  readonly to: { readonly value: string };
}

const isWordFor =
  (word: string) =>
  ({ states }: States, { to }: Target): boolean =>
    to.value === word && states?.some(({ name }) => name.value === word) !== true;

/** True if a transition leads back to the previous state. A state with the name `previous` is an ordinary state. */
export const returnsToPrevious = isWordFor(PREVIOUS);

/** True if the target of a transition is the word `same`: it leaves the record in its state. A state with the name `same` is an ordinary state. */
export const namesSameState = isWordFor(SAME);
