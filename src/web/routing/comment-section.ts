import { isGrouped } from "../../core/derive/http/list-query.ts";
import type { Application } from "../../core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { ConversationJson, RecordScreenJson } from "../../core/wire/screens.ts";

/** Fragment of an address of a record: its page opens at the comments. */
export const COMMENTS = "#comments";

/** The comments on the records of an entity, as the page of a record shows them. */
export interface CommentSection {
  /** The entity of the comments. */
  readonly entity: EntityJson;
  /** Their reference to the record. */
  readonly by: FieldJson;
  readonly conversation: ConversationJson;
  readonly title: string;
}

/** The kinds of comments that the reader can read on these records, and count, in the order of the page of a record. */
export const findCommentSections = (
  { screens, entities }: Pick<Application, "screens" | "entities">,
  commented: string,
): readonly CommentSection[] =>
  screens
    .filter((screen): screen is RecordScreenJson => screen.kind === "record" && screen.entity === commented)
    .flatMap(({ sections }) => sections)
    .flatMap((section): readonly CommentSection[] => {
      if (section.kind !== "list" || section.conversation === undefined) return [];
      const { conversation, title } = section;
      const entity = entities[section.entity];
      const by = entity?.fields.find(({ name }) => name === section.by);
      return entity === undefined || by === undefined || !isGrouped(by) ? [] : [{ entity, by, conversation, title }];
    })
    .filter(({ entity, by }, at, all) => at === all.findIndex((one) => one.entity === entity && one.by === by));
