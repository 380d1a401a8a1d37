import { type Model, requiredSettings } from "../../core/model/model.ts";

/** Where the program runs: secrets and addresses that the document names, by names that begin with `APP_`. */
export type Environment = { readonly [name: string]: string | undefined };

/** The names in the environment that an outgoing call lacks, for each call that lacks some. */
export const callsThatWait = (
  { outgoing }: Pick<Model, "outgoing">,
  environment: Environment,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...outgoing.values()].flatMap((call) => {
      const unset = requiredSettings(call).filter((name) => (environment[name] ?? "") === "");
      return unset.length === 0 ? [] : [[call.name, unset] as const];
    }),
  );
