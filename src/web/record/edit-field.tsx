import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useEditNote } from "../actions/use-edit-note.ts";
import EditInPlace from "../form/edit-in-place.tsx";

interface EditFieldProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly field: FieldJson;
  readonly onClose: () => void;
}

/** Edits a value of a record on its page, and says so, with “Undo”, as a list does for its cells. */
const EditField = ({ entity, record, field, onClose }: EditFieldProps) => {
  const note = useEditNote(entity);
  return (
    <EditInPlace
      entity={entity}
      record={record}
      field={field}
      onClose={onClose}
      onSaved={(written) => note(record, written, [field])}
    />
  );
};

export default EditField;
