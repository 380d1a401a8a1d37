import { orKeyName } from "../../document/shape/combinators.ts";
import { keyed } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, plainText } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Outgoing } from "../../model/effect.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { checkEnvironment } from "./sign-in.ts";

/** A call to another program, or a channel of a chat. */
export const outgoing = record("an outgoing call", {
  get: optional(plainText),
  post: optional(plainText),
  put: optional(plainText),
  patch: optional(plainText),
  delete: optional(plainText),
  sends: optional(keyed("names with expressions", orKeyName(expression))),
  headers: optional(keyed("names with values", plainText)),
  retries: optional(plainText),
  secret: optional(plainText),
  slack: optional(plainText),
  teams: optional(plainText),
  readers: optional(name("role")),
});

type OutgoingSyntax = ShapeValue<typeof outgoing>;

/** Default number of retries of a failed outgoing call. */
const USUAL_RETRIES = 8;

const methodNames = {
  get: "GET",
  post: "POST",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  slack: "POST",
  teams: "POST",
} as const;
const methodKeys = ["get", "post", "put", "patch", "delete", "slack", "teams"] as const;

export const linkOutgoing = (
  { name, key, value }: Named<OutgoingSyntax>,
  roles: ReadonlySet<string>,
  scope: Scope,
  linking: Linking,
): Outgoing | undefined => {
  const methods = methodKeys.filter((method) => method in value.keys);
  const [method] = methods;
  if (method === undefined || methods.length > 1)
    linking.report(
      finding(
        "MISSING_KEY",
        key,
        `The outgoing call ${name} needs one method.`,
        "Write for example “post: APP_PAYROLL_URL”.",
      ),
    );
  for (const address of [method === undefined ? undefined : value[method], value.secret])
    if (address !== undefined) checkEnvironment(address, linking);
  const clause = clauseAt(`7.outgoing.${name}`, key);
  const named = /^(?:limits\.)?([a-z][a-z0-9_]*)$/u.exec(value.retries?.value ?? "")?.[1];
  const limit = named === undefined ? undefined : scope.limits.get(named);
  if (limit !== undefined && named !== undefined) linking.limitsRead.add(named);
  const retries = limit?.value ?? value.retries?.value ?? `${USUAL_RETRIES}`;
  if (!/^\d{1,3}$/u.test(retries))
    linking.report(
      finding(
        "BAD_VALUE",
        value.retries?.span ?? key,
        `“${retries}” is not a number of attempts.`,
        "Write a whole number, or the name of a constant with a whole number.",
        { clause: clause.id },
      ),
    );
  const address = method === undefined ? undefined : value[method];
  if (method === undefined || address === undefined) return undefined;
  const service = method === "slack" || method === "teams" ? method : null;
  checkKeys(value, service !== null, clause.id, linking);
  const readers = service === null ? undefined : value.readers;
  if (readers !== undefined && !roles.has(readers.value))
    reportUnknownName(linking, readers.span, "role that people have everywhere", readers.value, roles);
  if (readers !== undefined) linking.rolesUsed.add(readers.value);
  return {
    name,
    clause,
    method: methodNames[method],
    address: address.value,
    headers: new Map((value.headers ?? []).map((header) => [header.name, header.value.value])),
    retries: Number(retries),
    secret: value.secret?.value ?? null,
    chat: service && { service, readers: readers?.value ?? null },
  };
};

/** Reports keys of calls at a channel, whose messages have a fixed form, and the keys of channels at a call. */
const checkKeys = (value: OutgoingSyntax, isChat: boolean, clause: string, linking: Linking): void => {
  for (const name of isChat ? (["sends", "headers", "secret"] as const) : (["readers"] as const)) {
    const span = value.keys[name];
    if (span === undefined) continue;
    const message = isChat ? `A chat takes texts only, without “${name}”.` : "“readers” is only for a chat.";
    const hint = isChat ? "Remove it, and write “text” at the effect." : "Remove it, or write “slack” or “teams”.";
    linking.report(finding("BAD_VALUE", span, message, hint, { clause }));
  }
};
