const PREVIOUS = "previous";

interface Named {
  readonly name: { readonly value: string };
}

/** True if a transition leads back to the previous state. A state with the name `previous` is an ordinary state. */
export const returnsToPrevious = (
  { states }: { readonly states?: readonly Named[] | undefined },
  { to }: { readonly to: { readonly value: string } },
): boolean => to.value === PREVIOUS && states?.some(({ name }) => name.value === PREVIOUS) !== true;
