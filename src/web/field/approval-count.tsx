import type { Application } from "../../core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { findPartialApproval, type PartialApproval } from "../format/approval-progress.ts";
import { useWords } from "../i18n/words.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import "./approval-count.css";

/** Entities by field, cached per manifest because every row needs them. */
const known = new WeakMap<Application["entities"], ReadonlyMap<FieldJson, EntityJson>>();

/** The entity of a field; undefined for a field that is only asked for. */
export const findEntityOfField = (field: FieldJson, entities: Application["entities"]): EntityJson | undefined => {
  let owners = known.get(entities);
  if (owners === undefined) {
    owners = new Map(Object.values(entities).flatMap((entity) => entity.fields.map((one) => [one, entity] as const)));
    known.set(entities, owners);
  }
  return owners.get(field);
};

/** How many people made a transition that needs several. */
export interface ApprovalWords {
  /** "1 of 2", beside the state */
  readonly count: string;
  /** "Approve: 1 of 2 people", where no state says what they are for; "1 of 2 people" beside the button that names it */
  readonly alone: string;
  /** "Approve for finance (1 of 2)" */
  readonly named: string;
  /** The people who made it, and how many more are needed. */
  readonly sentence: string;
}

/** Words for a record that waits for more people; null for any other. */
export const useApprovalWords = () => {
  const { say, show } = useWords();
  const roles = useRoleWords();
  const describe = ({ transition, progress: { people, needed } }: PartialApproval, { may }: RecordJson) => {
    const [made, left] = [people.length, needed - people.length];
    // The numbers stay in one line.
    const numbers = { made: show.number(made), needed: show.number(needed) };
    const inOneLine = (words: string) => words.replaceAll(" ", "\u00a0");
    const count = inOneLine(say("approval.count", numbers));
    const whole = inOneLine(say("approval.people", { count }));
    const others = [...new Set(transition.by.map(({ role, title }) => roles.one(role, title)))];
    const isYours = may?.transitions.includes(transition.name) === true;
    return {
      count,
      alone: isYours ? whole : say("approval.made", { transition: transition.label, count: whole }),
      named: say("approval.named", { transition: transition.label, count }),
      sentence: say("approval.sentence", {
        transition: transition.label,
        people: show.list(people.map(({ label }) => label)),
        left,
        who: isYours && left === 1 ? say("standing.you") : show.list(others, "disjunction"),
      }),
    };
  };
  return (entity: EntityJson, record: RecordJson): ApprovalWords | null => {
    const partial = findPartialApproval(entity, record);
    return partial === null ? null : describe(partial, record);
  };
};

interface ApprovalCountProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** True if it stands without the state. */
  readonly alone?: boolean;
}

/** "1 of 2" beside the state of a record that waits for more people, or "Approve: 1 of 2 people" without it. */
export const ApprovalCount = ({ entity, record, alone = false }: ApprovalCountProps) => {
  const words = useApprovalWords()(entity, record);
  return (
    words && (
      <span className="approval-count" title={words.sentence}>
        {alone ? words.alone : words.count}
      </span>
    )
  );
};
