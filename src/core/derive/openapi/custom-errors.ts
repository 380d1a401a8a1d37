import { type Call, type CallStep, renewsSession, type TakenField } from "../../model/endpoint.ts";
import { distinguishesPaths } from "../../model/error-entry.ts";
import { jsonPointer, placeInBody } from "../../model/facts/place-in-body.ts";
import { takesId } from "../../model/facts/takes-id.ts";
import type { Model } from "../../model/model.ts";
import { anonymousPrincipal, decidingClauseId, holdsRole, type Principal } from "../authorization/grants.ts";
import type { CallCheck } from "../consistency/call-checks.ts";
import {
  addressRefusal,
  malformedIdRefusal,
  missingCredentialRefusal,
  missingMemberRefusal,
  pathRefusal,
  permissionRefusal,
  requiredRefusal,
  signInRefusal,
  tooManyDeletedRefusal,
  twoValuesRefusal,
  typeRefusal,
  unknownMemberRefusal,
} from "../consistency/check-refusals.ts";
import { type PossibleRefusal, possibleRefusals, unsafe } from "../http/possible-errors.ts";
import type { Route } from "../http/routes.ts";

/** True if the roles of the endpoint admit the caller. */
export const isAdmitted = (model: Model, { by }: Call, person: Principal): boolean =>
  by === null || by.some((role) => holdsRole(model, role, person));

/** The conventional call as which a step is planned and checked. */
export const stepRoute = ({ method, path }: Call, { entity, does }: CallStep): Route => {
  const of = { method: method === "PUT" ? "PATCH" : method, path, entity } as const;
  if (does.kind === "delete all") return { ...of, does: { kind: "delete" } };
  if (does.kind === "ensure") return { ...of, does: { kind: "create" } };
  if (does.kind === "put") return { ...of, does: { kind: "update" } };
  return { ...of, does: does.kind === "transition" ? does : { kind: does.kind } };
};

/** True if a call is open under a condition. */
const hasCondition = ({ does }: Call): boolean =>
  does.kind === "steps"
    ? does.steps.some(({ when }) => when !== null)
    : (does.kind === "sign up" || does.kind === "close") && does.when !== null;

/** A step as the conventional writes that it can be: a `put` creates a record or updates it. */
export const possibleWrites = (step: CallStep): readonly CallStep[] =>
  step.does.kind === "put"
    ? [
        { ...step, does: { kind: "create" }, parameters: step.does.creates, replaces: false },
        { ...step, does: { kind: "update" } },
      ]
    : [step];

export const endpointSteps = ({ does }: Call): readonly CallStep[] => (does.kind === "steps" ? does.steps : []);

/**
 * The refusals of a custom endpoint: those of its steps, at the positions of their payloads, and those of its address.
 */
export const endpointRefusals = (
  model: Model,
  call: Call,
  fieldsOf: (step: CallStep) => ReadonlySet<string>,
): readonly PossibleRefusal[] => {
  const clause = call.clause.id;
  const steps = endpointSteps(call);
  const by =
    call.by === null && !hasCondition(call)
      ? []
      : [
          permissionRefusal(clause),
          ...(isAdmitted(model, call, anonymousPrincipal) && !hasCondition(call) ? [] : [signInRefusal(clause)]),
        ];
  const isShown = steps.every(({ takes }) => takes !== null);
  return [
    ...steps.flatMap((step) =>
      possibleWrites(step).flatMap((write) =>
        stepRefusals(model, call, write, fieldsOf(write), step.does.kind === "put" ? ["record"] : []),
      ),
    ),
    { code: "BAD_QUERY", clause },
    ...by,
    ...steps.flatMap(({ asks, takes }) => asks.map((field) => missingFieldRefusal(call, field, takes))),
    ...(isShown
      ? bodyShapeRefusals(
          call,
          steps.flatMap(({ takes }) => takes ?? []),
        )
      : []),
    ...(call.method === "GET" ? [] : unsafe),
  ];
};

const stepRefusals = (
  model: Model,
  call: Call,
  step: CallStep,
  fields: ReadonlySet<string>,
  skipped: readonly CallCheck[],
): readonly PossibleRefusal[] => {
  const clause = call.clause.id;
  const { does } = step;
  const entity = model.entities.get(step.entity);
  if (entity === undefined) return [];
  const admits = (person: Principal) => isAdmitted(model, call, person);
  const credentials = (step.takes ?? []).filter((field) => field.isCredential === true);
  const takes =
    step.takes === null
      ? null
      : new Set(step.takes.filter((field) => !credentials.includes(field)).map(({ field }) => field));
  const taken = [...fields].filter((name) => takes?.has(name) !== false);
  const named = new Set([...taken, ...step.set.keys(), ...step.parameters.flatMap(({ fixes }) => fixes ?? [])]);
  const without = [...skippedChecks(call, step), ...skipped];
  const own = possibleRefusals(model, stepRoute(call, step), named, { admits, takes, without }).map((refusal) =>
    relocated(step.takes, refusal),
  );
  const isIdentified = step.parameters.some(({ at }) => at !== null) && distinguishesPaths(model, call, entity.name);
  const fixed = step.parameters.flatMap(({ fixes, at, parent }) => {
    const target = model.entities.get(parent?.entity ?? entity.fields.get(fixes ?? "")?.entity ?? "");
    return target === undefined || at === null
      ? []
      : possibleRefusals(model, { ...stepRoute(call, step), entity: target.name, does: { kind: "read" } }, new Set(), {
          admits,
        });
  });
  // Two parameters can have different values for one field.
  const doubled = step.parameters.some(
    ({ fixes, at }, i) =>
      fixes !== null && at === null && step.parameters.some((parameter, j) => j < i && parameter.fixes === fixes),
  );
  return [
    ...own,
    ...credentials.flatMap(credentialRefusals),
    ...unchangedPasswordRefusals(credentials),
    ...fixed,
    ...(doubled ? [twoValuesRefusal(entity)] : []),
    ...(isIdentified ? [pathRefusal(entity)] : []),
    ...(distinguishesPaths(model, call, entity.name)
      ? step.query.filter((parameter) => takesId(model, parameter)).map(({ name }) => malformedIdRefusal(call, name))
      : []),
    // A path that identifies no record returns not found; visitors are asked to sign in first.
    ...(does.kind === "list" && step.parameters.length > 0
      ? [addressRefusal(call), ...(admits(anonymousPrincipal) ? [signInRefusal(clause)] : [])]
      : []),
    ...(does.kind === "delete all"
      ? [
          tooManyDeletedRefusal(call),
          ...(admits(anonymousPrincipal) ? [signInRefusal(decidingClauseId(entity, "delete"))] : []),
        ]
      : []),
  ];
};

/** The refusals of a new password, and of the current one. */
const credentialRefusals = ({ path, field }: TakenField): readonly PossibleRefusal[] => {
  const at = `/${path.join("/")}`;
  const clause = "7.sign in";
  return [
    { ...typeRefusal(clause), at },
    ...(field === "password"
      ? [
          { code: "PASSWORD_LENGTH", clause, at },
          { code: "PASSWORD_WEAK", clause, at },
        ]
      : [
          { code: "WRONG_PASSWORD", clause, at },
          { code: "TOO_MANY_ATTEMPTS", clause: "9.sign_in_attempts" },
        ]),
  ];
};

/** The new password is the current one, if a call takes both. */
const unchangedPasswordRefusals = (credentials: readonly TakenField[]): readonly PossibleRefusal[] =>
  credentials.some(({ field }) => field === "current_password")
    ? credentials
        .filter(({ field }) => field === "password")
        .map(({ path }) => ({ code: "PASSWORD_UNCHANGED", clause: "7.sign in", at: `/${path.join("/")}` }))
    : [];

/** The request lacks a field that the call asks for. */
const missingFieldRefusal = (call: Call, field: string, takes: readonly TakenField[] | null): PossibleRefusal =>
  missingMemberRefusal(call, `/${(takes?.find((candidate) => candidate.field === field)?.path ?? [field]).join("/")}`);

/** The checks of the conventional call that a step does not make. */
const skippedChecks = (call: Call, { does }: CallStep): readonly CallCheck[] => {
  // A step of several shares their transaction, so it has no idempotency key and no expected version.
  const isAlone = endpointSteps(call).length === 1;
  return [
    ...(does.kind === "list" && does.paging.by === "cursor" ? [] : ["cursor" as const]),
    ...((does.kind === "create" || does.kind === "transition") && isAlone ? [] : ["key" as const]),
    ...(does.kind !== "delete all" && isAlone ? [] : ["version" as const]),
    ...(does.kind === "delete all" ? ["record" as const] : []),
  ];
};

/** Refusals about the structure of a body: unknown members, and other values where an object is expected. */
const bodyShapeRefusals = (call: Call, takes: readonly TakenField[]): readonly PossibleRefusal[] => {
  const objects = new Set(takes.flatMap(({ path }) => path.slice(0, -1).map((_, i) => path.slice(0, i + 1).join("/"))));
  return [
    ...(call.ignoresUnknown ? [] : [unknownMemberRefusal(call)]),
    ...[...objects].map((at) => ({ ...typeRefusal(call.clause.id), at: `/${at}` })),
  ];
};

const newPasswordRefusals = (takes: readonly TakenField[]): readonly PossibleRefusal[] =>
  takes
    .filter(({ field }) => field === "password")
    .flatMap(credentialRefusals)
    .filter(({ code }) => code.startsWith("PASSWORD_"));

/** The refusals of signing in and out, and of a forgotten password. */
export const signInRefusals = (model: Model, call: Call): readonly PossibleRefusal[] => [
  { code: "BAD_QUERY", clause: call.clause.id },
  ...bodyShapeRefusals(call, call.does.kind === "steps" ? [] : call.does.takes),
  ...(call.by === null && !hasCondition(call) ? [] : [permissionRefusal(call.clause.id)]),
  ...(isAdmitted(model, call, anonymousPrincipal) && !hasCondition(call) ? [] : [signInRefusal(call.clause.id)]),
  ...(call.does.kind === "sign in"
    ? [
        renewsSession(call.does) ? signInRefusal("7.sign in") : { code: "BAD_CREDENTIALS", clause: "7.sign in" },
        ...signInValueRefusals(model, call.does.takes),
      ]
    : []),
  ...(call.does.kind === "sign up"
    ? model.signIn.signUp?.verifiesEmail === false
      ? registrationRefusals(model, call, call.does.takes)
      : pendingRegistrationRefusals(model, call.does.takes)
    : []),
  ...(call.does.kind === "forgot password" || call.does.kind === "reset password"
    ? signInValueRefusals(model, call.does.takes)
    : []),
  // Without a mail server, nobody can have a link.
  ...(call.does.kind === "forgot password" ? [permissionRefusal("7.sign in")] : []),
  ...(call.does.kind === "reset password"
    ? [{ code: "LINK_USED", clause: "7.sign in" }, ...newPasswordRefusals(call.does.takes)]
    : []),
  ...((call.does.kind === "sign in" && !renewsSession(call.does)) ||
  call.does.kind === "sign up" ||
  call.does.kind === "forgot password"
    ? [{ code: "TOO_MANY_ATTEMPTS", clause: "9.sign_in_attempts" }]
    : []),
  ...(call.does.kind === "close" || (call.does.kind === "sign out" && call.does.gives !== null)
    ? [signInRefusal("7.sign in")]
    : []),
  ...(call.does.kind === "close" ? [{ code: "LAST_ADMINISTRATOR", clause: "6.administrator" }] : []),
  ...unsafe,
];

/** Values with which nobody can sign in: none, and no text or email address. */
const signInValueRefusals = (model: Model, takes: readonly TakenField[]): readonly PossibleRefusal[] =>
  takes.flatMap(({ path, field: name }) => {
    const field = model.entities.get("User")?.fields.get(name);
    const at = jsonPointer(path);
    return [
      field === undefined ? missingCredentialRefusal(at) : { ...requiredRefusal(field), at },
      { ...typeRefusal(field?.clause.id ?? "7.sign in"), at },
    ];
  });

/** The checks of a created record that do not apply to registration. */
const checksNotForPeople: readonly CallCheck[] = [
  "permission",
  "fields",
  "key",
  "references",
  "files",
  "affected rules",
  "parts",
];

/**
 * The refusals of a registration that creates the person: those of the fields, at their positions in the body, and of
 * the password.
 */
const registrationRefusals = (model: Model, call: Call, takes: readonly TakenField[]): readonly PossibleRefusal[] => {
  const fields = new Set(["name", ...takes.map(({ field }) => field)]);
  const route = { method: "POST", path: call.path, entity: "User", does: { kind: "create" } } as const;
  const own = possibleRefusals(model, route, fields, {
    takes: fields,
    without: checksNotForPeople,
    admits: () => false,
  });
  const password = takes.find(({ field }) => field === "password");
  return [
    ...own.map((refusal) => relocated(takes, refusal)),
    ...(model.signIn.signUp?.asks ?? []).flatMap((name) => {
      const field = model.entities.get("User")?.fields.get(name);
      return field === undefined ? [] : [relocated(takes, requiredRefusal(field))];
    }),
    ...(password === undefined ? [] : credentialRefusals(password)),
    ...(password === undefined ? [] : [missingCredentialRefusal(`/${password.path.join("/")}`)]),
  ];
};

/** The refusal at the position of its field in the body. */
const relocated = (takes: readonly TakenField[] | null, refusal: PossibleRefusal): PossibleRefusal =>
  refusal.at === undefined ? refusal : { ...refusal, at: placeInBody(takes, refusal.at) };

const pendingRegistrationRefusals = (
  { signIn: { signUp } }: Model,
  takes: readonly TakenField[],
): readonly PossibleRefusal[] => [
  { ...typeRefusal("3.User.email"), at: `/${takes[0]?.path.join("/") ?? "email"}` },
  ...(signUp?.emails == null ? [] : [permissionRefusal(signUp.clause.id)]),
];
