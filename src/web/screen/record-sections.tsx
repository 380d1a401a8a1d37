import { useState } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { RecordScreenJson } from "../../core/wire/screens.ts";
import { useApplication } from "../app/app-context.tsx";
import { RecordFields } from "../record/record-fields.tsx";
import { type Adding, RelatedList } from "../record/related-list.tsx";
import type { ListSection } from "../record/use-related.tsx";
import type { useUnseenChanges } from "../record/use-unseen-changes.ts";

const keyOf = ({ entity, by }: ListSection): string => `${entity}.${by}`;

/** To which lists of the record this person can add now, and the one whose dialog is open. */
export const useAdditions = ({ sections }: RecordScreenJson) => {
  const { entities } = useApplication();
  const [addable, setAddable] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<string | null>(null);
  const first = sections.find((section) => section.kind === "list" && addable.has(keyOf(section)));
  const entity = first?.kind === "list" ? entities[first.entity] : undefined;
  return {
    addition: first?.kind === "list" && entity ? { thing: entity.one, begin: () => setOpen(keyOf(first)) } : null,
    addingTo: (section: ListSection): Adding => {
      const key = keyOf(section);
      return {
        isOpen: open === key,
        open: () => setOpen(key),
        close: () => setOpen(null),
        onAddable: (can) =>
          setAddable((now) => {
            if (now.has(key) === can) return now;
            return can ? new Set([...now, key]) : new Set([...now].filter((one) => one !== key));
          }),
        onGone: () => setOpen((now) => (now === key ? null : now)),
      };
    },
  };
};

interface RecordSectionsProps {
  readonly of: RecordScreenJson["sections"];
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  readonly unseen: ReturnType<typeof useUnseenChanges>;
  readonly onNewComments: (entity: string, count: number, isToAnswer: boolean) => void;
  readonly replies: number;
  readonly addingTo: (section: ListSection) => Adding;
}

/** Sections of a record's page, without its history, which is beside them. */
export const RecordSections = (props: RecordSectionsProps) => {
  const { of, entity, record, label, unseen, onNewComments, replies, addingTo } = props;
  return of.map((section) => {
    if (section.kind === "history") return null;
    if (section.kind === "list")
      return (
        <RelatedList
          key={keyOf(section)}
          of={entity.name}
          section={section}
          record={record}
          label={label}
          since={unseen.at}
          onNewComments={(count, isToAnswer) => onNewComments(section.entity, count, isToAnswer)}
          replies={replies}
          adding={addingTo(section)}
        />
      );
    return (
      <RecordFields
        key={section.fields.join(" ")}
        entity={entity}
        record={record}
        section={section}
        news={unseen.news}
      />
    );
  });
};
