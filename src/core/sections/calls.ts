import {
  anything,
  either,
  expression,
  flag,
  keyed,
  lazily,
  list,
  listOrOne,
  map,
  type Named,
  name,
  named,
  optional,
  orItself,
  orNone,
  type Read,
  record,
  required,
  type Said,
  type Shape,
  text,
  word,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Clause, Outgoing } from "../model/model.ts";
import type { NotExecuted } from "../model/not-executed.ts";
import type { FieldShape, Scope, Type } from "../rule/type.ts";
import type { Span } from "../text.ts";
import type { EffectNames } from "./effects.ts";
import { checkExpression, clauseAt, type Linking, reportNotExecuted, unknownName } from "./linking.ts";

/** Point 7: the calls it makes. Sign-in by password and the conventional calls run; the rest is understood. */
const provider = either<{ readonly name: string; readonly span: Span; readonly issuer?: Said<string> }>(
  "a provider's name, or its keys",
  {
    scalar: map(text, (said) => ({ name: said.value, span: said.span })),
    mapping: map(
      record("a provider", { oidc: required(name("field")), issuer: required(text), title: optional(text) }),
      (keys) => ({
        name: keys.oidc.value,
        span: keys.span,
        issuer: keys.issuer,
      }),
    ),
  },
);

const signIn = record("sign in", {
  password: optional(flag),
  providers: optional(orNone(list(provider))),
  "sign up": optional(orNone(anything)),
});

/** What an answer or a sent payload holds: each name an expression, itself, or names of its own. */
const payload: Shape<Payload> = either<Payload>("names with expressions", {
  scalar: expression,
  mapping: lazily("names with expressions", () => keyed("names with expressions", orItself(payload))),
});

export type Payload = Scalar | readonly Named<Payload | "itself">[];

const queryParameter = either<{ readonly where?: Scalar; readonly type?: Said<string> }>(
  "a condition, or its type and condition",
  {
    scalar: map(expression, (where) => ({ where })),
    mapping: map(
      record("a query parameter", { type: optional(text), where: optional(expression), default: optional(text) }),
      (keys) => ({
        ...(keys.where === undefined ? {} : { where: keys.where }),
        ...(keys.type === undefined ? {} : { type: keys.type }),
      }),
    ),
  },
);

const call = record("a call", {
  list: optional(name("entity")),
  read: optional(name("entity")),
  create: optional(name("entity")),
  update: optional(name("entity")),
  delete: optional(name("entity")),
  "delete all": optional(name("entity")),
  ensure: optional(name("entity")),
  transition: optional(text),
  "sign in": optional(anything),
  "sign up": optional(anything),
  "sign out": optional(anything),
  do: optional(anything),
  where: optional(expression),
  query: optional(keyed("a mapping from names to conditions", queryParameter)),
  sort: optional(list(text)),
  paging: optional(word("offset", "cursor", "none")),
  takes: optional(payload),
  gives: optional(payload),
  status: optional(text),
  by: optional(listOrOne(name("role"))),
  headers: optional(anything),
  set: optional(keyed("a mapping from fields to expressions", expression)),
});

const outgoing = record("an outgoing call", {
  get: optional(text),
  post: optional(text),
  put: optional(text),
  patch: optional(text),
  delete: optional(text),
  sends: optional(keyed("names with expressions", orItself(expression))),
  headers: optional(keyed("names with values", text)),
  retries: optional(text),
  secret: optional(text),
});

export const callsShape = orNone(
  record("point 7", {
    "sign in": optional(signIn),
    conventional: optional(
      either<"all" | "none" | readonly Said<string>[]>("all, none, or a list of entities", {
        scalar: map(word("all", "none"), (said) => said.value),
        list: list(name("entity")),
      }),
    ),
    base: optional(text),
    shapes: optional(named("entity", keyed("a mapping from names to shapes", payload))),
    calls: optional(keyed("a mapping from methods and paths to calls", call)),
    outgoing: optional(named("field", outgoing)),
    "error shape": optional(anything),
    cors: optional(anything),
    token: optional(anything),
    headers: optional(anything),
    status: optional(anything),
  }),
);

export type CallsSyntax = Read<typeof callsShape>;
type CallSyntax = Read<typeof call>;
type OutgoingSyntax = Read<typeof outgoing>;

const said = (syntax: CallsSyntax | undefined) => (syntax === undefined || syntax === "none" ? undefined : syntax);

export interface Calls {
  /** Whether the conventional calls are served. */
  readonly conventional: boolean;
  readonly signIn: { readonly clause: Clause | null };
  readonly outgoing: ReadonlyMap<string, Outgoing>;
}

/** What each outgoing call sends; point 4 types it where the call is made. */
export const outgoingNames = (syntax: CallsSyntax | undefined): EffectNames["outgoing"] =>
  new Map((said(syntax)?.outgoing ?? []).map((one) => [one.name, one.value.sends ?? []]));

export interface CallNames extends EffectNames {
  /** The addresses of the screens. */
  readonly screens: readonly string[];
  readonly roles: ReadonlySet<string>;
}

export const linkCalls = (syntax: CallsSyntax | undefined, names: CallNames, scope: Scope, linking: Linking): Calls => {
  if (syntax === undefined) return { conventional: true, signIn: { clause: null }, outgoing: new Map() };
  if (syntax === "none") return { conventional: false, signIn: { clause: null }, outgoing: new Map() };
  const span = syntax.keys["sign in"];
  checkSignIn(syntax["sign in"], linking);
  if (Array.isArray(syntax.conventional))
    checkConventional(syntax.conventional as readonly Said<string>[], names, syntax.keys.conventional, linking);
  for (const key of ["base", "error shape", "cors", "token", "headers", "status"] as const) {
    const at = syntax.keys[key];
    if (at !== undefined) reportNotExecuted(linking, "call settings", at, `7.${key}`);
  }
  checkShapes(syntax.shapes ?? [], scope, linking);
  const shapes = new Map((syntax.shapes ?? []).map((one) => [one.name, new Set(one.value.map((shape) => shape.name))]));
  checkCalls(syntax.calls ?? [], syntax.base?.value ?? "/api", shapes, names, scope, linking);
  const outgoing = (syntax.outgoing ?? []).flatMap((one) => linkOutgoing(one, scope, linking) ?? []);
  return {
    conventional: syntax.conventional !== "none",
    signIn: { clause: span === undefined ? null : clauseAt("7.sign in", span) },
    outgoing: new Map(outgoing.map((one) => [one.name, one])),
  };
};

const checkSignIn = (syntax: Read<typeof signIn> | undefined, linking: Linking): void => {
  const later = (kind: NotExecuted, span: Span | undefined) =>
    span === undefined ? undefined : reportNotExecuted(linking, kind, span, "7.sign in");
  if (syntax?.password?.value === false) later("key without effect", syntax.password.span);
  if (syntax?.providers !== undefined && syntax.providers !== "none") {
    later("sign-in provider", syntax.keys.providers);
    for (const one of syntax.providers) if (one.issuer !== undefined) checkEnvironment(one.issuer, linking);
  }
  if (syntax?.["sign up"] !== undefined && syntax["sign up"] !== "none") later("sign-up", syntax.keys["sign up"]);
};

const checkConventional = (
  entities: readonly Said<string>[],
  names: CallNames,
  span: Span | undefined,
  linking: Linking,
): void => {
  for (const one of entities)
    if (!names.entities.has(one.value)) unknownName(linking, one.span, "entity", one.value, names.entities.keys());
  if (span !== undefined) reportNotExecuted(linking, "conventional list", span, "7.conventional");
};

/** How often a call that failed is tried again where the document does not say. */
const USUAL_RETRIES = 8;

const methodNames = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" } as const;

/** Secrets and addresses come from the environment, by names that say so. */
const checkEnvironment = (at: Said<string>, linking: Linking): void => {
  if (/^APP_[A-Z0-9_]+$/u.test(at.value)) return;
  linking.report(
    finding(
      "SECRET_IN_DOCUMENT",
      at.span,
      `“${at.value}” is not a name of the environment.`,
      "Write a name that begins with APP_; its value is given where the program runs.",
    ),
  );
};

const linkOutgoing = (
  { name: given, key, value }: Named<OutgoingSyntax>,
  scope: Scope,
  linking: Linking,
): Outgoing | undefined => {
  const methods = (["get", "post", "put", "patch", "delete"] as const).filter((method) => value[method] !== undefined);
  const [method] = methods;
  if (method === undefined || methods.length > 1)
    linking.report(
      finding(
        "MISSING_KEY",
        key,
        `The outgoing call ${given} needs one method.`,
        "Write for example “post: APP_PAYROLL_URL”.",
      ),
    );
  for (const address of [method === undefined ? undefined : value[method], value.secret])
    if (address !== undefined) checkEnvironment(address, linking);
  const clause = clauseAt(`7.outgoing.${given}`, key);
  const named = /^(?:limits\.)?([a-z][a-z0-9_]*)$/u.exec(value.retries?.value ?? "")?.[1];
  const limit = named === undefined ? undefined : scope.limits.get(named);
  if (limit !== undefined && named !== undefined) linking.limitsRead.add(named);
  const retries = limit?.value ?? value.retries?.value ?? `${USUAL_RETRIES}`;
  if (!/^\d{1,3}$/u.test(retries))
    linking.report(
      finding(
        "BAD_VALUE",
        value.retries?.span ?? key,
        `“${retries}” does not say how often.`,
        "Write a whole number, or the name of a constant that is one.",
        { clause: clause.id },
      ),
    );
  const address = method === undefined ? undefined : value[method];
  if (method === undefined || address === undefined) return undefined;
  return {
    name: given,
    clause,
    method: methodNames[method],
    address: address.value,
    headers: new Map((value.headers ?? []).map((one) => [one.name, one.value.value])),
    retries: Number(retries),
    secret: value.secret?.value ?? null,
  };
};

const checkShapes = (
  shapes: NonNullable<Exclude<CallsSyntax, "none">["shapes"]>,
  scope: Scope,
  linking: Linking,
): void => {
  const known = new Map(shapes.map((one) => [one.name, new Set(one.value.map((shape) => shape.name))]));
  for (const { name: entity, key, value } of shapes) {
    if (!scope.entities.has(entity)) {
      unknownName(linking, key, "entity", entity, scope.entities.keys());
      continue;
    }
    for (const shape of value) {
      reportNotExecuted(linking, "shape", shape.key, `7.shapes.${entity}.${shape.name}`);
      checkPayload(shape.value, known, { ...scope, entity }, linking);
    }
  }
};

/** A payload's expressions; `Request.entry(page)` is a shape applied to a record or a list. */
const checkPayload = (
  value: Payload,
  shapes: ReadonlyMap<string, ReadonlySet<string>>,
  scope: Scope,
  linking: Linking,
): void => {
  if ("text" in value) {
    const applied = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)\((.*)\)$/su.exec(value.text);
    const [, entity, shape, argument] = applied ?? [];
    if (entity === undefined || shape === undefined || argument === undefined) {
      checkExpression(value, scope, undefined, linking);
      return;
    }
    const known = shapes.get(entity);
    if (known?.has(shape) !== true)
      unknownName(
        linking,
        value.span,
        "shape",
        `${entity}.${shape}`,
        [...shapes].flatMap(([name, of]) => [...of].map((one) => `${name}.${one}`)),
      );
    const start = value.text.length - 1 - argument.length;
    checkExpression(
      { ...value, text: argument, locate: (offset) => value.locate(start + offset) },
      scope,
      undefined,
      linking,
    );
    return;
  }
  for (const one of value) {
    if (one.value !== "itself") checkPayload(one.value, shapes, scope, linking);
    else {
      const fields = scope.entities.get(scope.entity ?? "")?.fields;
      if (fields !== undefined && !fields.has(one.name))
        unknownName(linking, one.key, `field of ${scope.entity}`, one.name, fields.keys());
    }
  }
};

const verbs = ["list", "read", "create", "update", "delete", "delete all", "ensure"] as const;

/** An address without the names of its parameters. */
const placeOf = (method: string, path: string): string => `${method} ${path.replace(/\{[^}]*\}/gu, "{}")}`;

const checkCalls = (
  calls: readonly Named<CallSyntax>[],
  base: string,
  shapes: ReadonlyMap<string, ReadonlySet<string>>,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): void => {
  const seen = new Map<string, string>();
  const screens = new Map(names.screens.map((path) => [placeOf("GET", path), path]));
  for (const { name: given, key, value } of calls) {
    const clause = `7.${given}`;
    reportNotExecuted(linking, "call", key, clause);
    const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/u.exec(given) ?? [];
    if (method === undefined || path === undefined) {
      linking.report(
        finding("BAD_VALUE", key, `“${given}” is not a method and a path.`, "Write for example “GET /leave”.", {
          clause,
        }),
      );
      continue;
    }
    const place = placeOf(method, path);
    const screen = screens.get(placeOf(method, `${base.replace(/\/$/u, "")}${path}`));
    if (screen !== undefined)
      linking.report(
        finding(
          "CALL_TWICE",
          key,
          `${given} is at the address of the screen ${screen}.`,
          "Give the call another path, or all calls another “base:”.",
          { clause },
        ),
      );
    const other = seen.get(place);
    if (other !== undefined)
      linking.report(
        finding("CALL_TWICE", key, `${given} is the call ${other} already.`, "Give one of them another path.", {
          clause,
        }),
      );
    seen.set(place, given);
    checkCall(given, path, value, shapes, names, scope, linking);
  }
};

const checkCall = (
  given: string,
  path: string,
  value: CallSyntax,
  shapes: ReadonlyMap<string, ReadonlySet<string>>,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): void => {
  const entity = calledEntity(value, names, linking);
  const input = new Map<string, { readonly type: Type; readonly optional: boolean }>(scope.names ?? []);
  const fields = scope.entities.get(entity ?? "")?.fields;
  for (const parameter of value.query ?? []) {
    const type = fields?.get(parameter.name)?.type ?? typeNamed(parameter.value.type?.value);
    input.set(`input.${parameter.name}`, { type, optional: false });
  }
  for (const one of typeof value.takes === "object" && !("text" in value.takes) ? value.takes : [])
    input.set(`input.${one.name}`, { type: fields?.get(one.name)?.type ?? { kind: "unknown" }, optional: true });
  if (entity !== undefined) {
    for (const parameter of path.matchAll(/\{([^}]*)\}/gu))
      checkParameter(given, parameter[1] ?? "", entity, scope, value.span, linking);
    const inRecord: Scope = { ...scope, entity, names: input };
    checkExpression(value.where, inRecord, { kind: "boolean" }, linking);
    for (const parameter of value.query ?? [])
      checkExpression(parameter.value.where, inRecord, { kind: "boolean" }, linking);
    const record: Type = { kind: "record", entity };
    const found = new Map(input)
      .set("page", { type: { kind: "list", of: record }, optional: false })
      .set("found", { type: { kind: "list", of: record }, optional: false });
    if (value.gives !== undefined) checkPayload(value.gives, shapes, { ...inRecord, names: found }, linking);
  }
  for (const role of value.by ?? []) {
    if (names.roles.has(role.value)) linking.rolesUsed.add(role.value);
    else unknownName(linking, role.span, "role", role.value, names.roles);
  }
};

const typeNamed = (name: string | undefined): Type => {
  const kinds = ["text", "integer", "decimal", "boolean", "date", "datetime", "time"] as const;
  const kind = kinds.find((one) => one === name?.replace(/\?$/u, ""));
  return kind === undefined ? { kind: "unknown" } : { kind };
};

/** The entity that a call is about, by its verb. */
const calledEntity = (value: CallSyntax, names: CallNames, linking: Linking): string | undefined => {
  for (const verb of verbs) {
    const entity = value[verb];
    if (entity === undefined) continue;
    if (names.entities.has(entity.value)) return entity.value;
    unknownName(linking, entity.span, "entity", entity.value, names.entities.keys());
    return undefined;
  }
  if (value.transition === undefined) {
    const special = ["sign in", "sign up", "sign out", "do"] as const;
    if (!special.some((word) => word in value.keys))
      linking.report(
        finding(
          "MISSING_KEY",
          value.span,
          "A call needs a verb.",
          `Write one of ${[...verbs, "transition", ...special].join(", ")}.`,
        ),
      );
    return undefined;
  }
  const [entity = "", transition = ""] = value.transition.value.split(".");
  if (!names.entities.has(entity)) unknownName(linking, value.transition.span, "entity", entity, names.entities.keys());
  else if (names.transitions.get(entity)?.has(transition) !== true)
    unknownName(
      linking,
      value.transition.span,
      `transition of ${entity}`,
      transition,
      names.transitions.get(entity) ?? [],
    );
  else return entity;
  return undefined;
};

/** `{id}`, a field's name, or a path through references that ends in one. */
const checkParameter = (
  given: string,
  parameter: string,
  entity: string,
  scope: Scope,
  span: Span,
  linking: Linking,
): void => {
  const words = parameter.split(".");
  let at: string | undefined = entity;
  for (const [i, word] of words.entries()) {
    const field: FieldShape | undefined = at === undefined ? undefined : scope.entities.get(at)?.fields.get(word);
    // `{article.slug}` may begin with the entity's own name, in small letters.
    if (field === undefined && i === 0 && words.length > 1) {
      const named = [...scope.entities.keys()].find((name) => name.toLowerCase() === word.toLowerCase());
      if (named !== undefined) {
        at = named;
        continue;
      }
    }
    if (field === undefined) {
      linking.report(
        finding(
          "NO_SUCH_PARAMETER",
          span,
          `The parameter {${parameter}} of ${given} matches no field of ${at ?? entity}.`,
          "Name a field, or a path of references that ends in one.",
        ),
      );
      return;
    }
    at = field.type.kind === "record" ? field.type.entity : undefined;
  }
};

export const silentCalls = (syntax: CallsSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === "none") return ["SIGN_UP_CLOSED", "PASSWORD_ALONE"];
  return [
    ...(syntax?.conventional === undefined ? (["CONVENTIONAL_CALLS"] as const) : []),
    ...(syntax?.["sign in"] === undefined ? (["PASSWORD_ALONE"] as const) : []),
    "SIGN_UP_CLOSED",
  ];
};
