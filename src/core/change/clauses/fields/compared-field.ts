import type { Message, MessageValue } from "../../../i18n/message.ts";
import type { Entity } from "../../../model/entity.ts";
import type { Field } from "../../../model/field.ts";
import type { ComparedLine } from "../../compared-line.ts";
import type { Comparison } from "../../comparison.ts";

/** The field of an entity, for messages. */
export interface FieldName {
  readonly field: MessageValue;
  readonly many: MessageValue;
}

/** A field that both versions have. */
export interface ComparedField {
  readonly comparison: Comparison;
  /** The entity in the later version. */
  readonly entity: Entity;
  readonly before: Field;
  readonly after: Field;
  readonly name: FieldName;
  /** Writes a line about the field. */
  readonly line: (effect: ComparedLine["effect"], message: Message, more?: Partial<ComparedLine>) => ComparedLine;
}
