import { flag, later, optional, orNone, type Read, record, word } from "../document/shape.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Clause } from "../model/model.ts";
import { clauseAt } from "./linking.ts";

/** Point 7: the calls it makes. Sign-in by password and the conventional calls run; the rest is understood. */
const signIn = record("sign in", { password: optional(flag), providers: later, "sign up": later });

export const callsShape = orNone(
  record("point 7", {
    "sign in": optional(signIn),
    conventional: optional(word("all", "none")),
    base: later,
    shapes: later,
    calls: later,
    outgoing: later,
    "error shape": later,
    cors: later,
    token: later,
    headers: later,
    status: later,
  }),
);

export type CallsSyntax = Read<typeof callsShape>;

export interface Calls {
  /** Whether the conventional calls are served. */
  readonly conventional: boolean;
  readonly signIn: { readonly clause: Clause | null };
}

export const linkCalls = (syntax: CallsSyntax | undefined): Calls => {
  if (syntax === undefined) return { conventional: true, signIn: { clause: null } };
  if (syntax === "none") return { conventional: false, signIn: { clause: null } };
  const span = syntax.keys["sign in"];
  return {
    conventional: syntax.conventional?.value !== "none",
    signIn: { clause: span === undefined ? null : clauseAt("7.sign in", span) },
  };
};

export const silentCalls = (syntax: CallsSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === "none") return ["SIGN_UP_CLOSED", "PASSWORD_ALONE"];
  return [
    ...(syntax?.conventional === undefined ? (["CONVENTIONAL_CALLS"] as const) : []),
    ...(syntax?.["sign in"] === undefined ? (["PASSWORD_ALONE"] as const) : []),
    "SIGN_UP_CLOSED",
  ];
};
