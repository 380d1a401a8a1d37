import type { Named, Read, ReportFinding, Spanned } from "../../document/shape.ts";
import type { List, Mapping, Scalar, Tree } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import { titleFor } from "../../i18n/titles.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Span } from "../../source-text.ts";
import type { EntitiesSyntax } from "../entities/entities.ts";
import { type FieldSyntax, fieldsShape } from "../entities/field-syntax.ts";
import { completionOf } from "./completion.ts";
import { effectsShape } from "./effects.ts";
import { type EntityStates, type StatesSyntax, type TransitionSyntax, transitionShape } from "./states.ts";

/*
 * A transition that needs several people, written as transitions that each need one:
 * `approve: { from: waiting, to: approved, by: approver, needs: 2, recorded in: approved_by }` becomes
 *
 * - `approve`, from waiting to waiting, which adds the person to `approved_by`,
 * - `approve_complete`, from waiting to approved, once `approved_by` has two people,
 * - `approve_void`, from waiting to waiting, which empties `approved_by`. Effects make it when the record changes.
 *
 * Everything else (SQL, explanations, locks, history, comparison of versions) knows only these transitions.
 */

const voidingOf = (transition: string): string => `${transition}_void`;

type Needs = NonNullable<TransitionSyntax["needs"]>;
type Fields = readonly Named<FieldSyntax>[];

interface Approval {
  readonly entity: string;
  readonly states: EntityStates;
  readonly transition: Named<TransitionSyntax>;
  readonly needs: Needs;
  readonly from: string;
  readonly field: Spanned<string>;
  readonly fields: Fields;
}

interface Points {
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
}

/** The syntax with `needs` written out. Reports transitions for which that is not possible. */
export const expandApprovals = <P extends Points>(points: P, locale: string, report: ReportFinding): P => {
  const entities = listNamed(points.entities);
  const approvals = listNamed(points.states).flatMap(({ name: entity, value: states }) =>
    (states.transitions ?? []).flatMap((transition) => {
      const fields = entities.find((one) => one.name === entity)?.value.fields ?? [];
      return readApproval(entity, states, transition, fields, report) ?? [];
    }),
  );
  if (approvals.length === 0) return points;
  const parts = new Map(approvals.map((one) => [one, listParts(one, entities)]));
  return {
    ...points,
    entities: entities.map((one) => withFields(one, approvals)),
    states: withEffects(
      listNamed(points.states).map((one) => ({
        ...one,
        value: withTransitions(one, approvals, parts, locale, report),
      })),
      approvals,
      parts,
      report,
    ),
  };
};

const listNamed = <T>(syntax: readonly Named<T>[] | "none" | undefined): readonly Named<T>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

const readApproval = (
  entity: string,
  states: EntityStates,
  transition: Named<TransitionSyntax>,
  fields: Fields,
  report: ReportFinding,
): Approval | undefined => {
  const { name, key, value } = transition;
  const { needs, keys } = value;
  const clause = { clause: `4.${entity}.${name}` };
  const wrong = (span: Span | undefined, message: string, hint: string): undefined =>
    void report(finding("BAD_VALUE", span ?? key, message, hint, clause));
  if (needs === undefined) {
    for (const word of ["recorded in", "until"] as const)
      if (keys[word] !== undefined && keys.needs === undefined)
        wrong(keys[word], `“${word}” is only for transitions with “needs”.`, `Remove “${word}”, or add “needs: 2”.`);
    return undefined;
  }
  const field = value["recorded in"];
  const [from, other] = value.from;
  if (field === undefined) {
    if (keys["recorded in"] === undefined)
      report(
        finding(
          "MISSING_KEY",
          keys.needs ?? key,
          `The transition ${name} needs “recorded in”.`,
          "Add “recorded in:” with a name for the list of the people who made it, such as approved_by.",
          clause,
        ),
      );
    return undefined;
  }
  if (from === undefined) return undefined;
  if (other !== undefined)
    return wrong(keys.from, `With “needs”, a transition starts in one state.`, "Write one transition for each state.");
  if (from.value === value.to.value)
    return wrong(keys.to, "With “needs”, a transition leads to another state.", "Name another state after “to:”.");
  for (const word of ["timeout", "once"] as const)
    if (keys[word] !== undefined)
      return wrong(keys[word], `“needs” and “${word}” exclude each other.`, `Remove “${word}”.`);
  if (value.by === "none")
    return wrong(keys.by, "“needs” counts people, but “by: none” lets nobody act.", "Name a role after “by:”.");
  if (!("kind" in needs) && keys.by !== undefined)
    return wrong(keys.by, "“needs” names the roles already.", "Remove “by”.");
  const declared = fields.find((one) => one.name === field.value)?.value;
  if (declared !== undefined && (declared.type?.value !== "User" || declared.many?.value !== true))
    return wrong(
      field.span,
      `${field.value} is not a list of people.`,
      `Write “${field.value}: { type: User, many: true }”, or remove the field from point 3.`,
    );
  return { entity, states, transition, needs, from: from.value, field, fields };
};

// --- Trees and expressions

const plain = (text: string, span: Span): Scalar => ({
  kind: "scalar",
  text,
  span,
  quoted: false,
  locate: () => span.start,
});

const mapping = (span: Span, entries: Readonly<Record<string, Tree>>): Mapping => ({
  kind: "mapping",
  span,
  written: undefined,
  entries: Object.entries(entries).map(([key, value]) => ({ key: plain(key, span), value })),
});

const listTree = (span: Span, items: readonly Tree[]): List => ({ kind: "list", items, span, written: undefined });

/** An expression from texts and expressions of the author, whose places it keeps. */
const compose = (span: Span, ...parts: readonly (string | Scalar)[]): Scalar => {
  const places: { readonly start: number; readonly part: Scalar }[] = [];
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else {
      places.push({ start: text.length, part });
      text += part.text;
    }
  }
  return {
    ...plain(text, span),
    locate: (offset) => {
      const place = places.findLast(({ start }) => start <= offset);
      const within = place === undefined ? -1 : offset - place.start;
      return place === undefined || within > place.part.text.length ? span.start : place.part.locate(within);
    },
  };
};

/** How many people are needed. */
const countNeeded = ({ needs, field }: Approval): Scalar => {
  if ("kind" in needs) return needs;
  return compose(
    field.span,
    ...needs.flatMap(({ when }, i) => [
      i === 0 ? "" : " + ",
      ...(when === undefined ? ["1"] : ["((", when, ") ? 1 : 0)"]),
    ]),
  );
};

/** The roles that may act: those of a list only at their turn. */
const makers = ({ needs, field, transition }: Approval): TransitionSyntax["by"] => {
  if ("kind" in needs) return transition.value.by;
  const turns = needs.map((one, nth) => {
    const earlier = needs.slice(0, nth);
    const place = earlier.flatMap(({ when }, i) => [
      i === 0 ? "" : " + ",
      ...(when === undefined ? ["1"] : ["((", when, ") ? 1 : 0)"]),
    ]);
    const isTurn = [`size(${field.value}) == `, ...(nth === 0 ? ["0"] : place)];
    return { one, turn: one.when === undefined ? isTurn : ["(", one.when, ") && ", ...isTurn] };
  });
  const roles = new Set(needs.map(({ role }) => role.value));
  return [...roles].flatMap((role) => {
    const own = turns.filter(({ one }) => one.role.value === role);
    const [first] = own;
    if (first === undefined) return [];
    const parts = own.flatMap(({ turn }, i) => [i === 0 ? "(" : " || (", ...turn, ")"]);
    return [{ ...first.one, when: compose(first.one.role.span, ...parts) }];
  });
};

// --- Point 3

const withFields = (entity: Named<Entity>, approvals: readonly Approval[]): Named<Entity> => {
  const own = approvals.filter((one) => one.entity === entity.name);
  if (own.length === 0) return entity;
  const recorded = new Map(own.map(({ field }) => [field.value, field.span]));
  const completes = new Map(own.map(({ transition: { name } }) => [name, completionOf(name)]));
  const complete = (said: Spanned<string>): Spanned<string> => ({
    ...said,
    value: completes.get(said.value) ?? said.value,
  });
  const fields = (entity.value.fields ?? []).map(({ name, key, value }): Fields[number] => {
    const span = recorded.get(name);
    recorded.delete(name);
    return {
      name,
      key,
      value: {
        ...value,
        ...(span === undefined ? {} : { set: emptyList(span), keys: { ...value.keys, set: span } }),
        ...(value.gapless === undefined ? {} : { gapless: complete(value.gapless) }),
        ...(value.kept?.kind === "until" ? { kept: { ...value.kept, names: value.kept.names.map(complete) } } : {}),
      },
    };
  });
  const more = [...recorded].flatMap(([name, span]) => {
    const tree = { type: plain("User", span), many: plain("true", span), set: emptyList(span) };
    const read = fieldsShape.read(mapping(span, { [name]: mapping(span, tree) }), () => undefined);
    return read ?? [];
  });
  return { ...entity, value: { ...entity.value, fields: [...fields, ...more] } };
};

type Entity = Exclude<EntitiesSyntax, "none">[number]["value"];

/** The value of a field that only transitions write. */
const emptyList = (span: Span): Scalar => plain("User.filter(one, false)", span);

// --- Point 4

/** A chain of references from a part to the record, such as `order` or `line.order`. */
interface PartPath {
  readonly entity: string;
  readonly path: string;
}

/** The parts whose change makes the approvals void. */
const listParts = (approval: Approval, entities: readonly Named<Entity>[]): readonly PartPath[] => {
  const { until } = approval.transition.value;
  const below = (parent: string, path: string, seen: ReadonlySet<string>): readonly PartPath[] =>
    entities.flatMap(({ name, value }) =>
      seen.has(name)
        ? []
        : (value.fields ?? []).flatMap((field) => {
            if (field.value["part of"]?.value !== true || field.value.type?.value.replace(/\?$/u, "") !== parent)
              return [];
            const own = path === "" ? field.name : `${field.name}.${path}`;
            return [{ entity: name, path: own }, ...below(name, own, new Set([...seen, name]))];
          }),
    );
  const all = below(approval.entity, "", new Set([approval.entity]));
  if (until === undefined) return all;
  const lists = new Set(
    approval.fields.flatMap(({ name, value }) =>
      value.list !== undefined && until !== "none" && until.some((one) => one.value === name) ? [value.list.value] : [],
    ),
  );
  const tops = all.filter(({ entity, path }) => lists.has(`${entity}.${path}`));
  return all.filter(({ path }) => tops.some((top) => path === top.path || path.endsWith(`.${top.path}`)));
};

/** The fields named in `until`; undefined if each change makes the approvals void. */
const untilFields = ({ transition: { value }, fields }: Approval): Fields | undefined => {
  const { until } = value;
  if (until === undefined) return undefined;
  if (until === "none") return [];
  const lists = new Set(fields.filter((one) => one.value.list !== undefined).map(({ name }) => name));
  return until.flatMap(({ value: name, span }) =>
    lists.has(name)
      ? []
      : (fields.find((one) => one.name === name) ??
        // An unknown name is reported where the condition is checked.
        fieldsShape.read(mapping(span, { [name]: plain("text", span) }), () => undefined)?.[0] ??
        []),
  );
};

/** A change of the record itself makes the approvals void. */
const isVoidable = (approval: Approval): boolean => untilFields(approval)?.length !== 0;

const stateField = ({ states }: Approval): string => states.field?.name.value ?? "state";

const withTransitions = (
  { name: entity, value }: Named<EntityStates>,
  approvals: readonly Approval[],
  parts: ReadonlyMap<Approval, readonly PartPath[]>,
  locale: string,
  report: ReportFinding,
): EntityStates => {
  const own = approvals.filter((one) => one.entity === entity);
  if (own.length === 0) return value;
  const complete = new Map(own.map(({ transition: { name } }) => [name, completionOf(name)]));
  return {
    ...value,
    transitions: (value.transitions ?? []).flatMap((transition) => {
      const approval = own.find((one) => one.transition === transition);
      if (approval === undefined) return [emptyingLists(transition, own)];
      const all = [voteOf(approval), emptyingLists(completing(approval, report), own)];
      const isMade = isVoidable(approval) || (parts.get(approval) ?? []).length > 0;
      return isMade ? [...all, voiding(approval, locale, report)] : all;
    }),
    after: value.after?.map((one) => ({ ...one, name: complete.get(one.name) ?? one.name })),
  };
};

/** Each approval: the record stays in its state. */
const voteOf = (approval: Approval): Named<TransitionSyntax> => {
  const { transition, field, from } = approval;
  const { span } = field;
  const by = makers(approval);
  return {
    ...transition,
    value: {
      ...transition.value,
      to: { ...transition.value.to, value: from },
      by,
      set: [{ name: field.value, key: span, value: plain(`${field.value} + [user]`, span) }],
      keys: { ...transition.value.keys, ...(by === undefined ? {} : { by: transition.value.keys.by ?? span }) },
    },
  };
};

const readTransition = (
  name: string,
  key: Span,
  entries: Readonly<Record<string, Tree>>,
  report: ReportFinding,
): readonly Named<TransitionSyntax>[] => {
  const value = transitionShape.read(mapping(key, entries), report);
  return value === undefined ? [] : [{ name, key, value }];
};

/** The last approval leads on. */
const completing = (approval: Approval, report: ReportFinding): Named<TransitionSyntax> => {
  const { transition, field, from, states } = approval;
  const { span } = field;
  const { to, set, discloses, was, keys } = transition.value;
  const target = states.states?.find((one) => one.name.value === to.value);
  const [read] = readTransition(
    completionOf(transition.name),
    transition.key,
    {
      from: plain(from, span),
      to: plain(to.value, to.span),
      by: plain("none", span),
      once: compose(span, `size(${field.value}) >= (`, countNeeded(approval), ")"),
      title: plain(target?.more?.title?.text ?? toTitle(to.value), span),
      ...(discloses?.value === true ? { discloses: plain("true", span) } : {}),
      ...(was === undefined ? {} : { was: plain(completionOf(was.value), was.span) }),
    },
    report,
  );
  if (read === undefined) throw new Error(`${transition.name} can't be completed`);
  return {
    ...read,
    value: { ...read.value, set, keys: { ...read.value.keys, ...(keys.set === undefined ? {} : { set: keys.set }) } },
  };
};

const voiding = ({ transition, field, from }: Approval, locale: string, report: ReportFinding) => {
  const { span } = field;
  const { was } = transition.value;
  const [read] = readTransition(
    voidingOf(transition.name),
    transition.key,
    {
      from: plain(from, span),
      to: plain(from, span),
      by: plain("none", span),
      set: mapping(span, { [field.value]: emptyList(span) }),
      title: plain(titleFor("approvals.void", locale), span),
      ...(was === undefined ? {} : { was: plain(voidingOf(was.value), was.span) }),
    },
    report,
  );
  if (read === undefined) throw new Error(`${transition.name} can't be void`);
  return read;
};

/** A transition that leads into the state, or changes the record in it, makes earlier approvals void. */
const emptyingLists = (transition: Named<TransitionSyntax>, own: readonly Approval[]): Named<TransitionSyntax> => {
  const { value } = transition;
  const written = [
    ...(value.asks ?? []).map((one) => one.value.replace(/\?$/u, "")),
    ...(value.set ?? []).map(({ name }) => name),
  ];
  const emptied = own.filter((approval) => {
    if (value.to.value !== approval.from || written.includes(approval.field.value)) return false;
    if (value.from.some((one) => one.value !== approval.from)) return true;
    const until = untilFields(approval);
    return written.some((name) => until === undefined || until.some((one) => one.name === name));
  });
  if (emptied.length === 0) return transition;
  const names = new Set(emptied.map(({ field }) => field.value));
  const set = [...names].map((name) => {
    const span = emptied.find(({ field }) => field.value === name)?.field.span ?? transition.key;
    return { name, key: span, value: emptyList(span) };
  });
  return { ...transition, value: { ...value, set: [...(value.set ?? []), ...set] } };
};

type Effects = Read<typeof effectsShape>;

/** Effects that make approvals void when the record or a part of it changes. */
const withEffects = (
  states: readonly Named<EntityStates>[],
  approvals: readonly Approval[],
  parts: ReadonlyMap<Approval, readonly PartPath[]>,
  report: ReportFinding,
): readonly Named<EntityStates>[] => {
  const more = new Map<string, Map<string, Tree[]>>();
  const add = (entity: string, moment: string, effect: Tree): void => {
    const moments = more.get(entity) ?? new Map<string, Tree[]>();
    more.set(entity, moments.set(moment, [...(moments.get(moment) ?? []), effect]));
  };
  for (const approval of approvals) {
    const { entity, field, from, transition } = approval;
    const { span } = field;
    const make = plain(voidingOf(transition.name), span);
    const open = (path: string) => `${path}${stateField(approval)} == '${from}' && size(${path}${field.value}) > 0`;
    const until = untilFields(approval);
    const changes = until?.map(({ name, value }) =>
      value.many?.value === true
        ? `${name}.exists(one, !(one in old.${name})) || old.${name}.exists(one, !(one in ${name}))`
        : `${name} != old.${name}`,
    );
    if (isVoidable(approval)) {
      const when = changes === undefined ? open("") : `${open("")} && (${changes.join(" || ")})`;
      add(entity, "update", mapping(span, { make, when: plain(when, span) }));
    }
    for (const part of parts.get(approval) ?? [])
      for (const moment of ["create", "update", "delete"])
        add(
          part.entity,
          moment,
          mapping(span, { make, of: plain(part.path, span), when: plain(open(`${part.path}.`), span) }),
        );
  }
  const effectsFor = (entity: string, span: Span): Effects =>
    effectsShape.read(
      mapping(
        span,
        Object.fromEntries([...(more.get(entity) ?? [])].map(([moment, trees]) => [moment, listTree(span, trees)])),
      ),
      report,
    ) ?? [];
  const known = states.map((one): Named<EntityStates> => {
    if (!more.has(one.name)) return one;
    const added = effectsFor(one.name, one.key);
    const after = [
      ...(one.value.after ?? []).map((own) => ({
        ...own,
        value: [...own.value, ...(added.find(({ name }) => name === own.name)?.value ?? [])],
      })),
      ...added.filter(({ name }) => one.value.after?.some((own) => own.name === name) !== true),
    ];
    return {
      ...one,
      value: { ...one.value, after, keys: { ...one.value.keys, after: one.value.keys.after ?? one.key } },
    };
  });
  const named = new Set(known.map(({ name }) => name));
  const others = [...more.keys()]
    .filter((entity) => !named.has(entity))
    .map((name): Named<EntityStates> => {
      const span = approvals[0]?.field.span ?? { file: "", start: 0, end: 0 };
      return { name, key: span, value: { ...emptyStates(span), after: effectsFor(name, span) } };
    });
  return [...known, ...others];
};

const emptyStates = (span: Span): EntityStates => ({
  field: undefined,
  initial: undefined,
  final: undefined,
  states: undefined,
  transitions: undefined,
  after: undefined,
  span,
  keys: { after: span },
});
