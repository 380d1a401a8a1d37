import { Fragment, useContext } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import { useClient } from "../../app/app-context.tsx";
import { SiblingValuesProvider } from "../../field/control/sibling-values.tsx";
import type { LocaleContext } from "../../format/locale-context.ts";
import { getValue } from "../../format/record-values.ts";
import { useWords } from "../../i18n/words.tsx";
import { BoundField } from "../bound-field.tsx";
import { ComputedField, ReadOnlyField } from "../form-field.tsx";
import type { useComputedValues } from "../hooks/use-computed-values.tsx";
import { useFormFacts } from "../hooks/use-form-facts.ts";
import { PartsTable } from "../parts-table.tsx";
import { type FormNode, findList, isChanged, type NodeChange } from "../state/form-node.ts";

/** The content of a form in order: fields and lists of parts. */
export type FormContent = FieldJson | PartsJson;

export const isParts = (one: FormContent): one is PartsJson => "columns" in one;

export const contentName = (one: FormContent): string => (isParts(one) ? one.field : one.name);

interface FormContentsProps extends Omit<FormEntryProps, "content" | "isOpen"> {
  readonly shown: readonly FormContent[];
  /** The fields that this person can edit now. */
  readonly open: readonly FieldJson[];
}

/** The fields and lists of parts in order, and the values of other records beside the computed ones or at the end. */
export const FormContents = ({ shown, open, ...props }: FormContentsProps) => {
  const { fieldValue } = useContext(SiblingValuesProvider);
  const facts = useFormFacts(props.entity, props.record, fieldValue);
  const lastComputed = shown.findLastIndex((one) => !isParts(one) && one.reckoned !== undefined);
  const factsAfter = lastComputed < 0 ? shown.length - 1 : lastComputed;
  return shown.map((one, at) => (
    <Fragment key={contentName(one)}>
      <FormEntry {...props} content={one} isOpen={open.some(({ name }) => name === contentName(one))} />
      {at === factsAfter &&
        facts.map(({ key, field, value }) => <ComputedField key={key} field={field} value={value} />)}
    </Fragment>
  ));
};

interface FormEntryProps {
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly content: FormContent;
  readonly form: FormNode;
  /** True for a field that this person can edit now. */
  readonly isOpen: boolean;
  readonly computed: ReturnType<typeof useComputedValues>;
  readonly context: LocaleContext;
  readonly onNode: (change: NodeChange) => void;
}

/** One field or list of parts: editable, computed, or read-only. */
const FormEntry = ({ entity, record, content, form, isOpen, computed, context, onNode }: FormEntryProps) => {
  const { say } = useWords();
  const { permissionQuestion } = useClient();
  if (isParts(content)) {
    const list = findList(form, content.field);
    return list ? (
      <PartsTable node={form} list={list} computed={computed.rows} context={context} onNode={onNode} />
    ) : (
      <p className="help wide">{say("parts.long")}</p>
    );
  }
  const { name } = content;
  // Of a new record, everything is new.
  const marked = record !== null;
  if (isOpen)
    return <BoundField node={form} field={content} marked={marked} broken={computed.broken} onNode={onNode} />;
  if (content.reckoned !== undefined) {
    const stored = record && !isChanged(form) ? getValue(record, name) : null;
    return <ComputedField field={content} value={name in computed.record ? computed.record[name] : stored} />;
  }
  return (
    <ReadOnlyField
      field={content}
      value={record ? getValue(record, name) : undefined}
      onAsk={() =>
        permissionQuestion.set({
          entity: entity.name,
          record: record?.id ?? null,
          what: record ? "update" : "create",
          field: name,
        })
      }
    />
  );
};
