import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import type { ConversationJson, SectionJson } from "../../core/wire/screens.ts";

/** True if this person may add comments, although not always to every record. `by`: their reference to the record. */
export const mayComment = ({ create }: EntityJson, by: string, { text }: ConversationJson): boolean =>
  create?.includes(by) === true && create.includes(text);

/** Why no comment can be added to the record now. */
export const findCommentRefusal = ({ name }: EntityJson, by: string, { may }: RecordJson): WhyNot | undefined =>
  may?.addRefused?.[`${name}.${by}`];

/** The entity of the comments in a section, if this person can add one to the record now. */
export const findCommentable = (
  entities: { readonly [name: string]: EntityJson },
  section: SectionJson | undefined,
  record: RecordJson,
): EntityJson | null => {
  if (section?.kind !== "list" || section.conversation === undefined) return null;
  const entity = entities[section.entity];
  return entity !== undefined &&
    mayComment(entity, section.by, section.conversation) &&
    findCommentRefusal(entity, section.by, record) === undefined
    ? entity
    : null;
};
