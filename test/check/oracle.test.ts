import { describe, expect, test } from "vitest";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { type JsRecord, nobody, type Value } from "../../src/core/expression/values/value.ts";
import type { Finding } from "../../src/core/findings.ts";
import type { Field } from "../../src/core/model/field.ts";
import { createDecider } from "../../src/core/satisfiability/satisfiability.ts";
import type { Entities } from "../../src/core/satisfiability/value-ranges.ts";
import fc from "../chance.ts";
import { condition, documentOf, type Fields, findingsOf, types } from "./documents.ts";

/** Decides the solver's questions by enumerating all records of small worlds, sharing only the evaluator with it. */

// --- Truth

const fields: Fields = {
  status: types.state,
  size: types.integer,
  "score?": types.integer,
  urgent: types.boolean,
  author: types.person,
  "helper?": types.person,
};

const bounds: Entities = new Map([["Case", { fields: new Map([["size", { min: "1", max: "3" } as Field]]) }]]);

/** Two people, each in one of two branches; three references that can differ need three people. */
const people = (branches: readonly number[]): readonly JsRecord[] =>
  branches.map((branch, i) => ({ id: `p${i}`, name: `p${i}`, branch, manager: null, active: true }));

interface World {
  readonly this: JsRecord;
  readonly user: JsRecord;
}

/** Every record, as a person sees it. All numbers beyond the constants in conditions (1 and 2) are equivalent. */
function* worldsOf(branches: readonly number[], user: (all: readonly JsRecord[]) => JsRecord): Generator<World> {
  const all = people(branches);
  for (const status of ["draft", "open", "done"])
    for (const size of [1, 2, 3])
      for (const score of [null, 0, 1, 2, 3, 4])
        for (const urgent of [false, true])
          for (const author of all)
            for (const helper of [null, ...all])
              yield { this: { id: "c", status, size, score, urgent, author, helper }, user: user(all) };
}

const branches = [
  [1, 1, 1],
  [1, 1, 2],
  [1, 2, 1],
  [2, 1, 1],
  [1, 2, 3],
];
const signedIn = branches.flatMap((branch) => [...worldsOf(branch, ([first]) => first ?? nobody)]);
const everyWorld = [...signedIn, ...branches.flatMap((branch) => [...worldsOf(branch, () => nobody)])];

const holdsIn = (expr: Expr) => {
  const evaluate = toJs(expr);
  return ({ this: record, user }: { readonly this: JsRecord; readonly user: JsRecord }): Value =>
    evaluate(record, { user, now: "2026-01-01T00:00:00.000Z", today: "2026-01-01", rows: () => [] });
};

const number = fc.integer({ min: 1, max: 2 }).map(String);
const sign = fc.constantFrom("==", "!=", "<", "<=", ">", ">=");
const atom = fc.oneof(
  fc.constantFrom("status == draft", "status != open", "status in [draft, done]"),
  fc.constantFrom("urgent", "score == null", "score != null", "helper == null", "helper != null"),
  fc.constantFrom("author == user", "helper == user", "author == helper", "author != helper"),
  fc.constantFrom("author.branch == user.branch", "helper.branch == author.branch", "helper.branch != user.branch"),
  fc.tuple(fc.constantFrom("size", "score"), sign, number).map((parts) => parts.join(" ")),
  fc.tuple(fc.constant("size"), sign, fc.constant("score")).map((parts) => parts.join(" ")),
);
/** Conditions on three of these; more cannot be enumerated, and the solver gives no answer. */
const written = fc.tuple(atom, atom, atom).chain(
  (atoms) =>
    fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom(...atoms),
        fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a} && ${b})`),
        fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a} || ${b})`),
        tie("any").map((a) => `!(${a})`),
        fc.tuple(tie("any"), tie("any"), tie("any")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      ),
    })).any,
);

describe("truth", () => {
  test("says “never” exactly for conditions that are true in no world, and “always” exactly for those true in every world", () => {
    const seen = { never: 0, always: 0, sometimes: 0 };
    fc.assert(
      fc.property(written, (text) => {
        const expr = condition(text, fields);
        const holds = holdsIn(expr);
        const never = !everyWorld.some((world) => holds(world) === true);
        const always = !everyWorld.some((world) => holds(world) === false);
        seen[never ? "never" : always ? "always" : "sometimes"]++;
        expect(createDecider(bounds).truthOf(expr)).toBe(never ? "never" : always ? "always" : "sometimes");
      }),
      { numRuns: 200 },
    );
    expect(Object.values(seen).every((count) => count > 0)).toBe(true);
  });

  test("gives an example exactly if there is a world in which the condition is true", {
    timeout: 300_000,
  }, () => {
    fc.assert(
      fc.property(written, (text) => {
        const expr = condition(text, fields);
        const holds = holdsIn(expr);
        const example = createDecider(bounds).exampleOf(expr);
        const fits = signedIn.filter(
          (world) => example?.every(({ path, value }) => agrees(path, value, world)) ?? true,
        );
        expect(fits.some((world) => holds(world) === true)).toBe(example !== undefined);
      }),
      { numRuns: 200 },
    );
  });
});

/**
 * True if a path has the value of an example in a world; identities of people and numbers beyond the constants can
 * differ.
 */
const agrees = (path: Expr, value: Value, world: World): boolean => {
  const actual = holdsIn(path)(world);
  if (path.type.kind === "record" || (path.kind === "field" && path.field.name === "branch"))
    return (actual === null) === (value === null);
  const within = (value: Value) => (typeof value === "number" ? Math.min(Math.max(value, 0), 4) : value);
  return within(actual) === within(value);
};

// --- Documents

const states = ["s0", "s1", "s2"];
const someOf = (all: readonly string[], least = 1) => fc.subarray([...all], { minLength: least });
const heldRoles = {
  author: "author == user",
  drafter: "author == user && status == s0",
  eager: "urgent && status != s2",
};
const globalRoles = ["clerk", "lead", "staff"];
const roleNames = [...globalRoles, ...Object.keys(heldRoles)];
const when = fc.option(
  fc.constantFrom(
    "urgent",
    "!urgent",
    "status == s0",
    "status != s0",
    "author == user",
    "author != user && urgent",
    "status in [s1, s2]",
  ),
  { freq: 2 },
);
const permission = fc.tuple(fc.constantFrom(...roleNames), when);
const permissions = (least: number) => fc.array(permission, { minLength: least, maxLength: 3 });

const documents = fc.record({
  transitions: fc.array(
    fc.record({
      from: someOf(states),
      to: fc.constantFrom(...states),
      by: someOf(roleNames).map((by) => by.slice(0, 2)),
      when,
    }),
    { maxLength: 4 },
  ),
  final: someOf(states),
  read: permissions(0),
  create: permissions(0),
  /** True if the creator is set automatically; otherwise anybody can be named. */
  set: fc.boolean(),
});

type Written = typeof documents extends fc.Arbitrary<infer T> ? T : never;

const listed = (of: Written["read"]) =>
  of.length === 0
    ? "none"
    : `[${of.map(([role, when]) => (when === null ? role : `{ role: ${role}, when: "${when}" }`)).join(", ")}]`;

const textOf = ({ transitions, final, read, create, set }: Written): string =>
  documentOf({
    3: `Case:\n  fields:\n    author: ${set ? "{ type: User, set: user }" : "User"}\n    urgent: boolean`,
    4: `Case:
  field: status
  states: [${states.join(", ")}]
  final: [${final.join(", ")}]
  transitions:${transitions.length === 0 ? " {}" : ""}
${transitions
  .map(
    (transition, i) =>
      `    t${i}: { from: [${transition.from.join(", ")}], to: ${transition.to}, by: [${transition.by.join(", ")}]${transition.when === null ? "" : `, when: "${transition.when}"`} }`,
  )
  .join("\n")}`,
    6: `roles:
  clerk: granted
  lead:  granted
  staff: signed in
  Case:
${Object.entries(heldRoles)
  .map(([name, condition]) => `    ${name}: "${condition}"`)
  .join("\n")}
permissions:
  Case:
    read:   ${listed(read)}
    create: ${listed(create)}`,
  });

const caseFields: Fields = {
  status: { kind: "choice", of: "Case.status", values: states },
  author: types.person,
  urgent: types.boolean,
};

const me: JsRecord = { id: "me" };
const other: JsRecord = { id: "other" };

/** A condition evaluated on a case by the person \`me\`. */
const tried = (text: string | null) => {
  if (text === null) return () => true;
  const evaluate = toJs(condition(text, caseFields));
  return (record: JsRecord) => evaluate(record, { user: me, now: "", today: "", rows: () => [] }) === true;
};

const cases = (status: string): readonly JsRecord[] =>
  [me, other].flatMap((author) => [false, true].map((urgent) => ({ id: "c", status, author, urgent })));

/** True if the current user, with granted roles, holds a role on a case. */
const holds = (role: string, granted: readonly string[], record: JsRecord): boolean => {
  if (Object.hasOwn(heldRoles, role)) return tried(heldRoles[role as keyof typeof heldRoles])(record);
  return role === "staff" || granted.includes(role);
};

const sees = ({ read }: Written, granted: readonly string[], record: JsRecord): boolean =>
  read.some(([role, when]) => holds(role, granted, record) && tried(when)(record));

const reachedIn = ({ transitions }: Written): readonly string[] => {
  const reached = new Set(["s0"]);
  for (let i = 0; i < states.length; i++)
    for (const transition of transitions)
      if (transition.from.some((state) => reached.has(state))) reached.add(transition.to);
  return [...reached];
};

/** The states from which nobody, with any granted roles, can make a transition. */
const impossibleIn = (written: Written, transition: Written["transitions"][number]): readonly string[] =>
  transition.from.filter(
    (state) =>
      reachedIn(written).includes(state) &&
      !cases(state).some(
        (record) =>
          tried(transition.when)(record) &&
          transition.by.some((role) => holds(role, ["clerk", "lead"], record)) &&
          sees(written, ["clerk", "lead"], record),
      ),
  );

/** The states that the findings name: because of the condition alone, or because of roles. */
const statesIn = (found: readonly Finding[], written: Written, i: number): readonly string[] => {
  const from = (written.transitions[i]?.from ?? []).filter((state) => reachedIn(written).includes(state));
  const own = found.filter(({ clause }) => clause === `4.Case.t${i}`);
  const named = (words: string | undefined) => states.filter((state) => words?.includes(state) === true);
  const closed = own.flatMap(({ message }) =>
    named(/^This condition is never true in the state (.*), (?:so no one|although)/u.exec(message)?.[1]),
  );
  const shut = own.flatMap(({ message }) => {
    const [, where] = /^No one can make the transition t\d( from [^:]*)?:/u.exec(message) ?? ["", ""];
    if (where === "") return [];
    return where === undefined ? from.filter((state) => !closed.includes(state)) : named(where);
  });
  return states.filter((state) => closed.includes(state) || shut.includes(state));
};

/** True if the creator of a case under a permission might not see it. */
const mayMiss = (written: Written, [role, when]: Written["create"][number]): boolean => {
  const granted = Object.hasOwn(heldRoles, role) ? ["clerk", "lead"] : [role];
  return cases("s0").some(
    (record) =>
      !(written.set && record.author !== me) &&
      holds(role, granted, record) &&
      tried(when)(record) &&
      !sees(written, granted, record),
  );
};

describe("documents", () => {
  test("finds unreachable states, impossible transitions and invisible records exactly as an exhaustive search does", () => {
    const seen = { unreachable: 0, impossible: 0, missed: 0 };
    fc.assert(
      fc.property(documents, (written) => {
        const found = findingsOf(textOf(written));
        expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
        const unreachable = found.flatMap(({ code, clause }) => (code === "UNREACHABLE_STATE" ? [clause] : []));
        const reached = reachedIn(written);
        expect(unreachable).toEqual(
          states.filter((state) => !reached.includes(state)).map((state) => `4.Case.${state}`),
        );
        seen.unreachable += unreachable.length;
        for (const [i, transition] of written.transitions.entries()) {
          const impossible = impossibleIn(written, transition);
          expect(statesIn(found, written, i)).toEqual(states.filter((state) => impossible.includes(state)));
          seen.impossible += impossible.length;
        }
        const missed = new Set(written.create.filter((item) => mayMiss(written, item)).map(([role]) => role));
        const roles = found.flatMap(({ code, witness }) => (code === "CREATOR_CANNOT_SEE" ? [witness?.role] : []));
        expect(new Set(roles)).toEqual(missed);
        seen.missed += missed.size;
      }),
      { numRuns: 300 },
    );
    expect(Object.values(seen).every((count) => count > 20)).toBe(true);
  });
});
