import type { TextsLike } from "../../catalogue.ts";
import type { migrationArguments } from "../../change-arguments/migration.ts";

/** Steps of a migration, and reasons why it or a preview is impossible. */
export const texts = {
  // Steps of a migration
  "step.optional": "{clause}: make optional",
  "step.required": "{clause}: make required",
  "step.computed.removed": "{clause}: remove the computed column",
  "step.plain": "{clause}: keep the computed values and allow edits",
  "step.recompute": "{clause}: recompute",
  "step.several": "{clause}: allow several values",
  "step.one": "{clause}: allow only one value",
  "step.table": "{clause}: create table {name}",
  "step.column": "{clause}: add column {name}",
  "step.reference": "{clause}: add a reference to {table}",
  "step.index": "{clause}: add index {name}",
  "step.index.rebuild": "{clause}: rebuild index {name}",
  "step.index.later": "{clause}: rebuild index {name} in the background",
  "step.index.removed": "{clause}: remove the unused index {name}",
  "step.check": "{clause}: add a database check",
  "step.check.changed": "{clause}: change the database check",
  "step.check.removed": "{clause}: remove the database check",
  "step.value.removed": "{clause}: remove {value}",
  "step.numbered": "{clause}: number {rows, plural, one {1 record} other {# records}} in the order of their creation",
  "step.filled": "{clause}: fill in {rows, plural, one {1 record} other {# records}}",
  "step.converted": "{clause}: convert the values of {rows, plural, one {1 record} other {# records}}",
  "step.restored": "{clause}: restore the former values of {rows, plural, one {1 record} other {# records}}",
  "step.unfilled": "{clause}: remove the value of “fill” from {rows, plural, one {1 record} other {# records}}",
  "step.replaced":
    "{clause}: replace the value of {rows, plural, one {1 record} other {# records}} with that of “fill”; the former values are kept",
  "step.dangling":
    "{clause}: remove references to deleted records from {rows, plural, one {1 record} other {# records}}",
  "step.bound":
    "{clause}: allow {which, select, max {at most} other {at least}} {bound}{characters, select, true { characters} other {}}",
  "kept.values":
    "{rows, plural, =0 {No record has a value} one {The values of 1 record are kept as retired data} other {The values of # records are kept as retired data}}",
  "kept.records":
    "{rows, plural, =0 {There are no records} one {1 record is kept as retired data} other {# records are kept as retired data}}",
  "step.removed": "{clause}: remove. {kept}",
  "step.retyped": "{clause}: change from {from} to {to}. {kept}",
  "step.retyped.text":
    "{clause}: change from {from} to {to}. {kept}. To convert these values, add “{was}” and “{fill}”",
  "type.computed": "computed",
  "type.reference": "a reference to {to}",
  "step.derived": "{clause}: derive the records from others. {kept}",
  "step.table.back": "{clause}: bring back with {rows, plural, one {1 record} other {# records}}",
  "step.column.back": "{clause}: bring back with the values of {rows, plural, one {1 record} other {# records}}",
  "step.column.gets": "{clause} gets the column {name}",
  "step.stale":
    "{clause}: {rows, plural, one {1 record was} other {# records were}} changed in this field since it had this type. The values entered since are kept as retired data, and the former ones come back",
  "step.merged":
    "{clause}: remove {old}. {rows, plural, =0 {No record has it} one {1 record gets {now}} other {# records get {now}}}",
  "step.renamed":
    "{clause}: rename {old} to {now}{of, select, entity {; its records and their history are kept} field {; its values are kept} value {; the records with this value change} record {; the record is kept} role {; people keep this role} other {}}",
  "step.value.renamed":
    "{clause}: rename {old} to {now}; {rows, plural, =0 {no record has this value} one {1 record changes} other {# records change}}",
  "step.record.added": "{clause}: add the record",
  "step.record.changed": "{clause}: update {fields}",
  "step.record.edited": "{clause}: stop offering the record; it is kept because people edited it",
  "step.record.used": "{clause}: stop offering the record; it is kept because other records use it",
  "step.record.deleted": "{clause}: delete the record; no other record uses it",
  "step.searches":
    "Searches read whole tables, because the database lacks the extension pg_trgm and its owner can’t create it",
  "step.stopped":
    "The trial stopped after {seconds} seconds, because many records change or someone else is using them. Publishing checks the rest.",
  "step.checked.later":
    "Some stored records can only be checked while the version is published. If they don’t fit, the current version stays live.",
  "step.time":
    "Publishing takes about {minutes, plural, =0 {{seconds, plural, one {1 second} other {# seconds}}} one {1 minute} other {# minutes}}, and people can keep working",
  "step.pause":
    "{name}: when the version takes effect, no one can read or edit its records for about {minutes, plural, =0 {{seconds, plural, one {1 second} other {# seconds}}} one {1 minute} other {# minutes}}",
  "step.pause.prepared":
    "{name}: while the version is prepared, no one can read or edit its records once for about {minutes, plural, =0 {{seconds, plural, one {1 second} other {# seconds}}} one {1 minute} other {# minutes}}",

  // Refusals of a migration
  "refused.required.added":
    "{clause} can’t be added as a required field: {rows, plural, one {1 record has} other {# records have}} no value for it. Make it optional, or add “fill:” with their value.",
  "refused.required.retyped":
    "{clause} has a new type, and the text in {rows, plural, one {1 record} other {# records}} is not converted automatically. Make it optional, or add “{was}” and “{fill}”.",
  "refused.required":
    "{clause} can’t become required: {rows, plural, one {1 record has} other {# records have}} no value for it. {filled, select, true {“fill” gives them none.} other {Add “fill:” with their value.}}",
  "refused.one":
    "{clause} can’t hold only one value: {rows, plural, one {1 record has} other {# records have}} {required, select, true {several values or none} other {several values}}. Correct {rows, plural, one {it} other {them}}, or choose a value with “was” and “fill”.",
  "refused.unique":
    "{clause} can’t become unique: {rows, plural, one {1 value occurs} other {# values occur}} more than once. Correct the records, or use a rule with “unique” and “where” to compare only some of them.",
  "refused.unique.any": "{clause} can’t become unique.",
  "refused.pairs":
    "{clause} can’t take effect: some stored records {same, select, true {have the same values} other {overlap}}. Correct them, or compare only some with “where”.",
  "refused.value":
    "{clause} no longer allows {value}, but {rows, plural, one {1 record has} other {# records have}} it. Add “was: {value}” to the value that they get, such as “{example}”.",
  "refused.words":
    "{clause} can’t become a choice: {rows, plural, one {1 record has another value} other {# records have other values}}. Correct {rows, plural, one {it} other {them}}, or say with “was” and “fill” which value {rows, plural, one {it gets} other {they get}}.",
  "refused.words.state":
    "{clause} can’t take effect: {rows, plural, one {1 record has a value that is} other {# records have values that are}} not the name of a state. Correct {rows, plural, one {it} other {them}}, add the missing states, or give the state field a different name.",
  "refused.violates":
    "{clause} can’t take effect: {rows, plural, one {1 stored record violates} other {# stored records violate}} it. Correct {rows, plural, one {it} other {them}}, or check the rule only during some changes: “during: [create, update]”.",
  "refused.unfit":
    "{what} can’t take effect: {rows, plural, one {1 stored record doesn’t} other {# stored records don’t}} fit.",
  "refused.bound":
    "{clause} can’t be limited to {which, select, max {at most} other {at least}} {bound}{characters, select, true { characters} other {}}: {characters, select, true {{rows, plural, one {1 record is} other {# records are}} {which, select, max {longer} other {shorter}}} other {{rows, plural, one {1 record has} other {# records have}} a {which, select, max {higher} other {lower}} value}}. {filled, select, true {“fill” gives no value that fits.} other {Correct {rows, plural, one {it} other {them}}, or add “fill:” with a value that fits.}}",
  "refused.dangling":
    "{clause} can’t be brought back as a required field: {rows, plural, one {1 record refers} other {# records refer}} to a deleted record. Make it optional first.",
  "refused.other.type":
    "{clause}: “was” says that {name} was {said}, but it is {is}. Write the type that it has in the live version.",
  "former.value": "the former value",
  "refused.converted":
    "{clause} can’t be converted: no value follows from {names} in {rows, plural, one {1 record} other {# records}}. Correct {rows, plural, one {it} other {them}}, or say in “fill” which value {rows, plural, one {it gets} other {they get}}.",
  "refused.converted.reference":
    "{clause} can’t be converted: “fill” finds no record to refer to for {rows, plural, one {1 record} other {# records}}. A version creates no records: publish the entity and create the missing records first, or say in “fill” which ones {rows, plural, one {this record refers} other {these records refer}} to.",
  "refused.computed": "{clause} can’t be computed for 1 record: {problem}. Correct the record, then resume.",
  "refused.foreign.table": "The table {name} in the schema app was not created by Ninefold. Move it to another schema.",
  "refused.foreign.column":
    "The column {name} of the table {table} was not created by Ninefold. Remove it, or add a field for it.",
  "refused.record":
    "{clause} can’t be saved with the values in the specification: {same, select, true {another record has the same value} other {it violates a rule of its entity}} ({constraint}).",
  "refused.full": "The database is out of space ({problem}). Free some space, then resume.",
  "refused.almost.full":
    "The disk of the database has less than {megabytes} MB left. The current version stays live. Free some space, then resume.",
  "refused.superseded": "Another version was published in the meantime.",

  // Refusals of a preview
  "preview.full": "There is not enough disk space for a copy of the database. Free some space, and try again.",
  "preview.ended": "The preview was ended while the data was copied. Start it again.",
  "preview.forbidden": "The database role can’t create the copy. Let it create databases: alter role … createdb.",
  "preview.unfit":
    "The copy does not fit the specification. If it is masked, a rule may forbid a made-up value. Try without masking, or do not mark fields that a rule compares as personal.",
  "preview.away": "The database doesn’t answer. Try again later.",
  "preview.broken": "The preview couldn’t be started. The server’s log has the reason.",
} satisfies TextsLike<typeof migrationArguments>;
