import { type Model, requiredSettings } from "./model.ts";

/** Environment variables with the secrets and addresses that the document refers to; their names begin with `APP_`. */
export type Environment = { readonly [name: string]: string | undefined };

/** For each outgoing call that cannot be sent, the missing environment variables. */
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
