import type { Application, PersonJson } from "../../core/wire/application.ts";
import type { EntityJson, StateJson, StatesJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import type { ScreenJson } from "../../core/wire/screens.ts";
import { isReference } from "../format/value-shapes.ts";
import type { Words } from "../i18n/words.tsx";
import { editAddress, listLetters, recordAddress } from "../routing/routes.ts";
import type { IconName } from "../ui/icon.tsx";
import { findState, findTargets, isFinal, isForward, isNegativeEnd, needsQuestion, stateNamed } from "./workflow.ts";

interface Act {
  /** Distinguishes it from the other acts on the record: `transition grant`, `edit`. */
  readonly key: string;
  readonly label: string;
  readonly icon: IconName | null;
  /** Why it is impossible now. It stays in its place and gives the reason. */
  readonly refused: WhyNot | null;
  /** The dialog that comes before it: it asks for input or for confirmation. */
  readonly question: "input" | "confirmation" | null;
  /** Its name in questions about permissions: `grant`, `update`. */
  readonly explainedAs: string | null;
}

export interface TransitionAct extends Act {
  readonly kind: "transition";
  readonly transition: TransitionJson;
  /** The state that it leads to, if there is only one. */
  readonly target: StateJson | null;
  /** True for the one that the person is most likely to need. */
  readonly primary: boolean;
}

interface LinkAct<K extends "open" | "edit" | "letter"> extends Act {
  readonly kind: K;
  /** Null if there is no such page. Several records can be edited without a form for one. */
  readonly href: string | null;
}

interface CopyAct extends Act {
  readonly kind: "copy link";
  /** Null for the address of the current page. */
  readonly href: string | null;
}

interface PlainAct<K extends "print" | "delete" | "explain"> extends Act {
  readonly kind: K;
}

/**
 * An act on one record, as data. A record's page, the menu of a row, the bar of selected rows, the tiles of a dashboard
 * and the palette choose from the same list. `usePerform` performs an act; `useUndo` can undo it.
 */
export type RecordAct =
  | TransitionAct
  | LinkAct<"open">
  | LinkAct<"edit">
  | LinkAct<"letter">
  | CopyAct
  | PlainAct<"print">
  | PlainAct<"delete">
  | PlainAct<"explain">;

interface ActsInput {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly screens: readonly ScreenJson[];
  /** True if the record's page is open. */
  readonly isOpen: boolean;
}

const plain = { icon: null, refused: null, question: null, explainedAs: null } as const;

/** The acts on a record, in the order of menus. An act that this person can never take is left out. */
export const buildRecordActs = (
  { entity, record, screens, isOpen }: ActsInput,
  say: Words["say"],
): readonly RecordAct[] => {
  const { may } = record;
  const address = recordAddress(screens, entity.name, record.id);
  const edit = { ...plain, kind: "edit", key: "edit", label: say("record.edit"), explainedAs: "update" } as const;
  const remove = {
    ...plain,
    kind: "delete",
    key: "delete",
    label: say("record.delete"),
    explainedAs: "delete",
  } as const;
  const acts: readonly (RecordAct | null)[] = [
    // The first act in a menu is harmless, in case of an accidental key press.
    isOpen || address === null
      ? null
      : { ...plain, kind: "open", key: "open", label: say("row.open"), icon: "to", href: address },
    ...listTransitionActs(entity, record),
    may && may.update.length > 0
      ? { ...edit, icon: "edit", href: editAddress(screens, entity.name, record.id) }
      : may?.updateRefused
        ? { ...edit, icon: "edit", href: null, refused: may.updateRefused }
        : null,
    isOpen || address !== null
      ? {
          ...plain,
          kind: "copy link",
          key: "copy link",
          label: say("record.copy.link"),
          icon: "link",
          href: isOpen ? null : address,
        }
      : null,
    ...listLetters(screens, entity.name, record).map(
      ({ title, href, refused = null }): RecordAct => ({
        ...plain,
        kind: "letter",
        key: `letter ${href}`,
        label: title,
        icon: "document",
        href,
        refused,
      }),
    ),
    { ...plain, kind: "print", key: "print", label: say("record.print"), icon: "print" },
    may?.delete
      ? { ...remove, icon: "delete", question: "confirmation" }
      : may?.deleteRefused
        ? { ...remove, icon: "delete", refused: may.deleteRefused }
        : null,
    { ...plain, kind: "explain", key: "explain", label: say("may.what"), icon: "why" },
  ];
  return acts.filter((act) => act !== null);
};

/** The transitions of a record that are possible or refused, in document order. Hidden ones are left out. */
export const listTransitionActs = (entity: EntityJson, record: RecordJson): readonly TransitionAct[] => {
  const { may } = record;
  if (!entity.states || !may) return [];
  const { transitions } = entity.states;
  const possible = transitions.filter(({ name }) => may.transitions.includes(name));
  const primary = findPrimary(entity.states, findState(entity, record), possible);
  return transitions.flatMap((transition): readonly TransitionAct[] => {
    const { name, label, asks } = transition;
    const refused = possible.includes(transition) ? null : may.refused[name];
    if (refused === undefined) return [];
    const [target, another] = findTargets(transition, record);
    return [
      {
        ...plain,
        kind: "transition",
        key: `transition ${name}`,
        label,
        refused,
        question: asks.length > 0 ? "input" : needsQuestion(entity, transition) ? "confirmation" : null,
        explainedAs: name,
        transition,
        target: another === undefined ? stateNamed(entity, target) : null,
        primary: transition === primary,
      },
    ];
  });
};

/**
 * The primary transition: the first possible one that the document names as main. Otherwise the first one that leads
 * forward, to a state that is later in the document and not a bad one. A final state cannot be undone, so its transition
 * is then primary only if no other state lies ahead and it is the first final state, which is the intended end.
 */
const findPrimary = (
  { states, transitions }: StatesJson,
  now: StateJson | null,
  possible: readonly TransitionJson[],
): TransitionJson | undefined => {
  const named = possible.find(({ main }) => main);
  if (named !== undefined) return named;
  const own = { states, transitions };
  const [end] = states.filter(({ name }) => isFinal(own, name));
  const onlyEnds = possible.every(({ to }) => to.every((state) => isFinal(own, state) || !isForward(own, now, state)));
  return possible.find(({ to }) =>
    to.every((state) => isForward(own, now, state) && (!isFinal(own, state) || (onlyEnds && state === end?.name))),
  );
};

/** The label on a button or in a menu: “…” follows if a dialog opens. */
export const getControlLabel = (act: RecordAct, say: Words["say"]): string =>
  act.kind === "transition" && act.question !== null && act.refused === null
    ? say("record.asks", { transition: act.label })
    : act.label;

/** Refusals that are no rule of the document with an error of its own: the state, the guard, a missing permission. */
const builtInRefusals: ReadonlySet<string> = new Set(["WRONG_STATE", "GUARD", "FORBIDDEN"]);

/** True unless the state, a condition or a missing permission refuses it: a rule of the document does, which can be put right. */
export const isExpected = ({ refused }: Pick<TransitionAct, "refused">): boolean =>
  refused === null || !builtInRefusals.has(refused.code);

/**
 * The expected transitions in the order in which a person needs them: the primary one, the one that leads to a bad state,
 * other possible ones, and those that a rule refuses.
 */
const rankActs = (acts: readonly TransitionAct[]): readonly TransitionAct[] => {
  const rank = ({ refused, primary, target }: TransitionAct) =>
    refused !== null ? 3 : primary ? 0 : target?.mark.hue === "red" ? 1 : 2;
  return acts.filter(isExpected).toSorted((one, other) => rank(one) - rank(other));
};

/** The transitions outside the menu if there is room for two. */
export const findMainActs = (acts: readonly TransitionAct[]): readonly TransitionAct[] => rankActs(acts).slice(0, 2);

/**
 * True if people are expected only to end the record without a result: cancel an order, withdraw a request. That is not the
 * first thing to offer where there is room for two, while something harmless is there.
 */
export const areNegativeEnds = (acts: readonly TransitionAct[]): boolean => {
  const expected = findMainActs(acts);
  return (
    expected.length > 0 &&
    expected.every(({ primary, refused, target }) => !primary && refused === null && isNegativeEnd(target))
  );
};

/** The transition that would be the primary one, if a rule before it refuses it now. */
export const findRefusedPrimary = (
  entity: EntityJson,
  record: RecordJson,
  acts: readonly TransitionAct[],
): TransitionAct | undefined => {
  const expected = acts.filter(isExpected);
  if (entity.states === null || expected.every(({ refused }) => refused === null)) return undefined;
  const primary = findPrimary(
    entity.states,
    findState(entity, record),
    expected.map(({ transition }) => transition),
  );
  return expected.find(({ transition, refused }) => transition === primary && refused !== null);
};

/**
 * The transitions of a record in a dashboard: the two that its page ranks first. If a rule refuses the one that would be
 * primary, it says why in its place, unless another leads on (`findReplacedAct`). If none leads on, nobody is expected to
 * act, and none are offered.
 */
export const listTileActs = (entity: EntityJson, record: RecordJson): readonly TransitionAct[] => {
  const acts = listTransitionActs(entity, record);
  const possible = rankActs(acts).filter(({ refused }) => refused === null);
  if (possible[0]?.primary) return possible.slice(0, 2);
  const refused = findRefusedPrimary(entity, record, acts);
  return refused === undefined ? [] : [refused, ...possible.slice(0, 1)];
};

/** A transition that a rule refuses, and the one that leads on in its place. */
interface ReplacedAct {
  readonly refused: TransitionAct & { readonly refused: WhyNot };
  readonly by: TransitionAct;
}

/** The transition that would be the primary one, if a rule refuses it and another leads on instead; null otherwise. */
export const findReplacedAct = (entity: EntityJson, record: RecordJson): ReplacedAct | null => {
  const acts = listTransitionActs(entity, record);
  const by = acts.find(({ primary }) => primary);
  const act = findRefusedPrimary(entity, record, acts);
  return by === undefined || act === undefined || act.refused === null
    ? null
    : { refused: { ...act, refused: act.refused }, by };
};

/** The transition that is expected of a row, if a rule refuses it: it says why below the row. */
export const findMissingAct = (entity: EntityJson, record: RecordJson): ReplacedAct["refused"] | null => {
  const act = findRefusedPrimary(entity, record, listTransitionActs(entity, record));
  return act === undefined || act.refused === null ? null : { ...act, refused: act.refused };
};

/** The words of a text alone, with spaces around each. */
const listWords = (text: string): string => ` ${text.replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;

/** Why an act is missing, in one line: the sentence alone if it names the act itself. */
export const sayWhyMissing = ({ label }: RecordAct, { because }: WhyNot, say: Words["say"]): string =>
  listWords(because).includes(listWords(label)) ? because : say("label.value", { label, value: because });

/** A reader, and the roles of the document that are not held on records. */
interface Reader {
  readonly person: PersonJson | null;
  readonly roles: Application["roles"];
}

/**
 * True if the transition is for others, whatever the state of the record is: somebody else has each role that can make it.
 * A role that is held on records by more than a field of them can be the reader's.
 */
export const isForOthers = (
  entity: EntityJson,
  record: RecordJson,
  { transition, refused }: TransitionAct,
  { person, roles }: Reader,
): boolean => {
  if (refused === null || person === null) return false;
  const own = new Set([...person.roles, ...person.everybody]);
  const isOfAnother = (role: string): boolean => {
    const field = entity.holders?.[role];
    const holders = (field === undefined ? [] : [record[field]].flat()).filter(isReference);
    if (holders.some(({ id }) => id === person.id)) return false;
    // Nobody has it yet: that can become the reader, if they can be chosen.
    if (field !== undefined) return holders.length > 0 || entity.neverHeld?.includes(role) === true;
    return Object.hasOwn(roles, role) && !own.has(role);
  };
  return refused.code === "FORBIDDEN" || transition.by.every(({ role }) => isOfAnother(role));
};

/** The possible transitions in the place of one that a condition or a rule refuses on this record. */
export const listActsInstead = (acts: readonly RecordAct[], { refused }: RecordAct): readonly TransitionAct[] =>
  refused === null || refused.code === "WRONG_STATE" || refused.code === "FORBIDDEN"
    ? []
    : rankActs(acts.filter((act) => act.kind === "transition")).filter((act) => act.refused === null);
