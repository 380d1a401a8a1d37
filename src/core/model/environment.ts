import type { Model } from "./model.ts";

/** Environment variables with the secrets and addresses that the document refers to; their names begin with `APP_`. */
export type Environment = { readonly [name: string]: string | undefined };

/** For each outgoing call that cannot be sent, the missing environment variables. */
export const callsThatWait = (
  { outgoing }: Pick<Model, "outgoing">,
  environment: Environment,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...outgoing.values()].flatMap((call) => {
      const required = call.secret === null ? [call.address] : [call.address, call.secret];
      const unset = required.filter((name) => (environment[name] ?? "") === "");
      return unset.length === 0 ? [] : [[call.name, unset] as const];
    }),
  );
