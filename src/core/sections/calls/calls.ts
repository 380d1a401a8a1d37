import { byKind, map, orNone } from "../../document/shape/combinators.ts";
import { keyed, list, named } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { plainText, word } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { Outgoing } from "../../model/effect.ts";
import type { Call, CallSettings, Gives } from "../../model/endpoint.ts";
import { isWithoutField } from "../../model/errors.ts";
import type { SignIn } from "../../model/sign-in.ts";
import { type Linking, mentionEntity, reportNotExecuted, reportUnknownName } from "../linking/link-context.ts";
import type { EffectNames } from "../states/effects.ts";
import type { CallNames, CallPlace } from "./call-context.ts";
import { getBodyForms, linkSettings, noSettings, settingsParts, usualStatuses } from "./call-settings.ts";
import { shapesIn } from "./call-steps.ts";
import { type CallSyntax, callSyntax } from "./call-syntax.ts";
import { linkCall, listResponses } from "./link-call.ts";
import { linkOutgoing, outgoing } from "./outgoing.ts";
import { linkGives, type PayloadNames, payload } from "./payloads.ts";
import { defaultSignIn, getRegistering, getRegistrationFields, linkSignIn, signIn } from "./sign-in.ts";

/** Point 7: the custom endpoints, and settings of all calls. */
export const callsShape = orNone(
  record("point 7", {
    "sign in": optional(signIn),
    conventional: optional(
      byKind<"all" | "none" | readonly Spanned<string>[]>("all, none, or a list of entities", {
        scalar: map(word("all", "none"), (word) => word.value),
        list: list(name("entity")),
      }),
    ),
    base: optional(plainText),
    shapes: optional(named("entity", keyed("a mapping from names to shapes", payload))),
    calls: optional(keyed("a mapping from methods and paths to calls", callSyntax)),
    outgoing: optional(named("field", outgoing)),
    ...settingsParts,
  }),
);

export type CallsSyntax = ShapeValue<typeof callsShape>;

const declared = (syntax: CallsSyntax | undefined) => (syntax === undefined || syntax === "none" ? undefined : syntax);

export interface LinkedCalls {
  /** True if the conventional calls of the entity are served. */
  readonly conventional: (entity: string) => boolean;
  readonly calls: readonly Call[];
  readonly settings: CallSettings;
  readonly shapes: ReadonlyMap<string, Gives>;
  readonly signIn: SignIn;
  readonly outgoing: ReadonlyMap<string, Outgoing>;
  /** Entries of point 8 that calls answer in place of built-in errors. */
  readonly raised: ReadonlySet<string>;
}

/** The outgoing calls by name; point 4 types their payloads and texts for the effect that makes the call. */
export const outgoingNames = (syntax: CallsSyntax | undefined): EffectNames["outgoing"] =>
  new Map(
    (declared(syntax)?.outgoing ?? []).map(({ name, value }) => [
      name,
      { isChat: value.slack !== undefined || value.teams !== undefined, sends: value.sends ?? [] },
    ]),
  );

/** The errors of point 8 that a call names. */
const errorsIn = ({ errors = [], query = [], do: steps = [] }: CallSyntax): readonly string[] => [
  ...errors.map(({ value }) => value.value),
  ...[query, ...steps.map((step) => step.query ?? [])].flat().flatMap(({ value }) => value.else?.value ?? []),
];

export const linkCalls = (
  syntax: CallsSyntax | undefined,
  around: Omit<CallNames, "signsUp" | "registrationFields" | "token">,
  scope: Scope,
  linking: Linking,
): LinkedCalls => {
  const none = {
    calls: [],
    settings: noSettings,
    shapes: new Map(),
    signIn: defaultSignIn,
    outgoing: new Map(),
    raised: new Set<string>(),
  };
  if (declared(syntax)?.["error shape"] === undefined) reportUselessPlaces(around.errorCatalogue, linking);
  if (syntax === undefined) return { conventional: () => true, ...none };
  if (syntax === "none") return { conventional: () => false, ...none };
  const span = syntax.keys["sign in"];
  const listed = Array.isArray(syntax.conventional) ? (syntax.conventional as readonly Spanned<string>[]) : undefined;
  for (const item of listed ?? []) mentionEntity(linking, item.span, item.value);
  for (const item of listed ?? [])
    if (!around.entities.has(item.value))
      reportUnknownName(linking, item.span, "entity", item.value, around.entities.keys());
  const conventional = new Set(listed?.map((item) => item.value));
  const up = syntax["sign in"] === "none" ? undefined : syntax["sign in"]?.["sign up"];
  const token = syntax.token === "none" ? undefined : syntax.token?.header?.value;
  const names: CallNames = {
    ...around,
    signsUp: getRegistering(up),
    registrationFields: getRegistrationFields(up),
    token: token ?? "Authorization",
  };
  const usual = {
    statuses: usualStatuses(syntax.status, linking),
    headers: (syntax.headers ?? []).map((header) => [header.name, header.value.value] as const),
    ignoresUnknown: syntax.unknown?.value === "ignored",
    omitsMissing: syntax.missing?.value === "omitted",
    accepts: getBodyForms(syntax.accepts),
  };
  const base = getBase(syntax.base, linking);
  const known: PayloadNames = {
    shapes: new Map(
      (syntax.shapes ?? []).map((shape) => [
        shape.name,
        new Map(
          shape.value.map(({ name, value }) => [name, "text" in value ? [] : value.map((member) => member.name)]),
        ),
      ]),
    ),
    written: new Map(
      (syntax.shapes ?? []).flatMap(({ name: entity, value }) =>
        value.map((shape) => [`${entity}.${shape.name}`, shape.value] as const),
      ),
    ),
    calls: new Set((syntax.calls ?? []).map((call) => call.name)),
    base,
    givesNumbers: syntax.decimals?.value === "numbers",
  };
  const shapes = linkShapes(syntax.shapes ?? [], known, scope, linking);
  const calls = linkShown(syntax.calls ?? [], { base, usual, known, shapes, names }, scope, linking);
  const outgoing = (syntax.outgoing ?? []).flatMap((entry) => linkOutgoing(entry, names.roles, scope, linking) ?? []);
  return {
    conventional: (entity) => syntax.conventional !== "none" && (listed === undefined || conventional.has(entity)),
    calls,
    settings: linkSettings(syntax, base, names.roles, scope, linking),
    shapes: shapes.linked,
    signIn: linkSignIn(syntax["sign in"], span, names, linking),
    outgoing: new Map(outgoing.map((outgoing) => [outgoing.name, outgoing])),
    raised: new Set((syntax.calls ?? []).flatMap(({ value }) => errorsIn(value))),
  };
};

/** `at` of a built-in error without a field is its name in an error shape. */
const reportUselessPlaces = ({ errors, places, raised }: CallNames["errorCatalogue"], linking: Linking): void => {
  for (const [code, { span }] of places)
    if (isWithoutField(code) && !raised.has(code) && errors.get(code)?.shape === null)
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `${code} belongs to no field, so “at” only has an effect in an “error shape”.`,
          "Remove “at”, or write an “error shape” in point 7.",
          { clause: `8.${code}` },
        ),
      );
};

/** The base path of the document's calls. The platform's own endpoints do not move. */
const getBase = (written: Spanned<string> | undefined, linking: Linking): string => {
  if (written === undefined) return "/api";
  const base = written.value.replace(/\/$/u, "");
  if (/^(?:\/[A-Za-z0-9._~-]+)*$/u.test(base) && !/^\/_(?:\/|$)/u.test(base)) return base;
  linking.report(
    finding(
      "BAD_VALUE",
      written.span,
      `“${written.value}” can’t be the base of addresses.`,
      "Write for example “/v1”.",
    ),
  );
  return "/api";
};

interface Shapes {
  readonly linked: ReadonlyMap<string, Gives>;
  /** Shapes with a mistake. */
  readonly mistaken: ReadonlySet<string>;
}

/**
 * Types each shape on its entity's records. Leaves out shapes that are not fully executable, and those that apply them.
 */
const linkShapes = (
  shapes: NonNullable<Exclude<CallsSyntax, "none">["shapes"]>,
  known: PayloadNames,
  scope: Scope,
  linking: Linking,
): Shapes => {
  const linked = new Map<string, Gives>();
  const mistaken = new Set<string>();
  for (const { name: entity, key, value } of shapes) {
    if (!scope.entities.has(entity)) {
      reportUnknownName(linking, key, "entity", entity, scope.entities.keys());
      continue;
    }
    for (const shape of value) {
      const clause = `7.shapes.${entity}.${shape.name}`;
      const name = `${entity}.${shape.name}`;
      const noting: Linking = {
        ...linking,
        report: (found) => {
          if (found.severity === "error") mistaken.add(name);
          linking.report(found);
        },
      };
      const gives = linkGives(shape.value, known, { ...scope, entity }, noting, clause);
      if (gives !== undefined) linked.set(name, gives);
    }
  }
  for (const { name: entity, value } of shapes)
    for (const shape of value) {
      const name = `${entity}.${shape.name}`;
      const cycle = findPathBack(name, name, linked, new Set());
      if (cycle === undefined) continue;
      linking.report(
        finding(
          "CYCLE",
          shape.key,
          `The shape ${name} contains itself: ${cycle.join(", ")}.`,
          "Remove it from one of them.",
          {
            clause: `7.shapes.${name}`,
          },
        ),
      );
    }
  return { linked, mistaken };
};

/** The cycle of shapes that leads from one shape back to another; undefined if there is none. */
const findPathBack = (
  to: string,
  at: string,
  shapes: ReadonlyMap<string, Gives>,
  passed: Set<string>,
): readonly string[] | undefined => {
  const gives = shapes.get(at);
  for (const next of gives === undefined ? [] : shapesIn(gives)) {
    if (next === to) return [next];
    if (passed.has(next)) continue;
    passed.add(next);
    const path = findPathBack(to, next, shapes, passed);
    if (path !== undefined) return [next, ...path];
  }
  return undefined;
};

/** True if a response applies a shape with a mistake, which already has a finding. */
const usesMistakenShape = (
  gives: Gives,
  { linked, mistaken }: Shapes,
  passed: ReadonlySet<string> = new Set(),
): boolean =>
  shapesIn(gives).some((name) => {
    if (mistaken.has(name)) return true;
    const shape = linked.get(name);
    return (
      shape !== undefined &&
      !passed.has(name) &&
      usesMistakenShape(shape, { linked, mistaken }, new Set([...passed, name]))
    );
  });

/** True if every shape that a response applies, directly or indirectly, is executable. */
const isExecutable = (
  gives: Gives,
  shapes: ReadonlyMap<string, Gives>,
  passed: ReadonlySet<string> = new Set(),
): boolean =>
  shapesIn(gives).every((name) => {
    const shape = shapes.get(name);
    return shape !== undefined && (passed.has(name) || isExecutable(shape, shapes, new Set([...passed, name])));
  });

/** An address with anonymous parameters, without a slash at the end. */
const getPlace = (method: string, path: string): string =>
  `${method} ${path.replace(/\{[^}]*\}/gu, "{}").replace(/(.)\/$/u, "$1")}`;

/** The names and defaults that all calls of a document share. */
interface CallSurroundings extends Pick<CallPlace, "base" | "usual"> {
  readonly known: PayloadNames;
  readonly shapes: Shapes;
  readonly names: CallNames;
}

const linkShown = (
  calls: readonly Named<CallSyntax>[],
  { base, usual, known, shapes, names }: CallSurroundings,
  scope: Scope,
  linking: Linking,
): readonly Call[] => {
  const seen = new Map<string, string>();
  const screens = new Map(names.screens.map((path) => [getPlace("GET", path), path]));
  const shown: Call[] = [];
  for (const { name, key, value } of calls) {
    const clause = `7.${name}`;
    const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/u.exec(name) ?? [];
    if (!isMethod(method) || path === undefined) {
      const [, word = "", rest = ""] = /^([A-Za-z]+)\s+\/?(\S*)$/u.exec(name) ?? [];
      const near = isMethod(word.toUpperCase()) ? `${word.toUpperCase()} /${rest}` : undefined;
      linking.report(
        finding(
          "BAD_VALUE",
          key,
          `“${name}” is not a method and a path.`,
          near === undefined ? "Write for example “GET /leave”." : `Did you mean “${near}”?`,
          { clause, ...(near === undefined ? {} : { nearest: near, fix: [{ span: key, text: near }] }) },
        ),
      );
      continue;
    }
    const place = getPlace(method, path);
    const screen = screens.get(getPlace(method, `${base}${path}`));
    if (screen !== undefined)
      linking.report(
        finding(
          "CALL_TWICE",
          key,
          `${name} has the address of the screen ${screen}.`,
          "Give the call another path, or give all calls another “base:”.",
          { clause },
        ),
      );
    const other = seen.get(place);
    if (other !== undefined)
      linking.report(
        finding("CALL_TWICE", key, `${name} and ${other} have the same address.`, "Give one of them another path.", {
          clause,
        }),
      );
    seen.set(place, name);
    const call = linkCall({ name, key, method, path, base, usual }, value, {
      names,
      shapes: known,
      scope,
      linking,
    });
    if (call === undefined) continue;
    const answers = listResponses(call);
    if (answers.every((gives) => isExecutable(gives, shapes.linked))) shown.push(call);
    else if (!answers.some((gives) => usesMistakenShape(gives, shapes)))
      reportNotExecuted(linking, "reads what is not decided", key, clause);
  }
  return shown;
};

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const isMethod = (method: string | undefined): method is Call["method"] => methods.some((other) => other === method);

/** True if nobody signs in to the application. */
export const isSignInOff = (syntax: CallsSyntax | undefined): boolean => declared(syntax)?.["sign in"] === "none";

export const listCallDefaults = (syntax: CallsSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === "none") return ["SIGN_UP_CLOSED", "PASSWORD_ALONE", "NO_TOKENS"];
  const people = syntax?.["sign in"];
  const isOff = people === "none";
  return [
    ...(syntax?.conventional === undefined ? (["CONVENTIONAL_CALLS"] as const) : []),
    ...(!isOff && people?.password === undefined && people?.providers === undefined
      ? (["PASSWORD_ALONE"] as const)
      : []),
    ...(!isOff && people?.["sign up"] === undefined ? (["SIGN_UP_CLOSED"] as const) : []),
    ...(syntax?.token === undefined ? (["NO_TOKENS"] as const) : []),
  ];
};
