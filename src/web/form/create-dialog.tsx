import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient, useEntity } from "../app/app-context.tsx";
import type { RecordCreation } from "../app/app-state.ts";
import { useWords } from "../i18n/words.tsx";
import { findNewScreen } from "../routing/routes.ts";
import { useToast } from "../ui/overlay/toast.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { FormDialog } from "./form-dialog.tsx";
import { FieldScope } from "./form-field.tsx";
import { useOneShotForm } from "./use-one-shot-form.tsx";

interface CreateDialogProps {
  readonly creation: RecordCreation;
  readonly onClose: () => void;
}

/** Creates a record for a choice of records, which then has it. The form that asks for the choice stays as it is. */
const CreateDialog = ({ creation, onClose }: CreateDialogProps) => {
  const entity = useEntity(creation.entity);
  return entity && <Dialog entity={entity} creation={creation} onClose={onClose} />;
};

export default CreateDialog;

const Dialog = ({ entity, creation, onClose }: CreateDialogProps & { readonly entity: EntityJson }) => {
  const { say } = useWords();
  const { calls, queries } = useClient();
  const { screens } = useApplication();
  const toast = useToast();
  const shown = findNewScreen(screens, entity.name)?.fields ?? entity.create ?? [];
  const necessary = briefly(
    shown
      .filter((name) => entity.create?.includes(name) === true)
      .flatMap((name) => entity.fields.find((field) => field.name === name) ?? []),
  );
  // The text that was searched is most likely the name.
  const [first] = necessary.filter(isNamed);
  const fields = necessary.map((field) => (field === first ? { ...field, default: { value: creation.typed } } : field));
  const close = useWhileMounted(onClose);
  const { onCreated, typed } = creation;
  const oneShot = useOneShotForm("create", fields, null, { entity, transition: null }, async (body, key) => {
    const { id } = await calls.create(entity.calls, body, key);
    const written = await calls.record(entity.calls, id).catch(() => null);
    await reload(queries, { queryKey: keys.of(entity.calls) });
    toast(say("form.made", { thing: entity.one }));
    close();
    onCreated({ id, label: written?._label ?? typed });
  });
  return (
    <FieldScope.Provider value={`${entity.name}-`}>
      <FormDialog
        oneShot={oneShot}
        title={say("reference.create.new", { thing: entity.one })}
        act={say("form.save.new", { thing: entity.one })}
        refused={say("related.not.made", { thing: entity.one })}
        onClose={onClose}
      />
    </FieldScope.Provider>
  );
};

const isNamed = ({ type, many }: FieldJson): boolean => type === "text" && many !== true;

/** Above this number of fields, only the necessary ones are asked for. The others can be entered on the record. */
const MANY = 6;

const briefly = (fields: readonly FieldJson[]): readonly FieldJson[] => {
  const [first] = fields.filter(isNamed);
  return fields.length <= MANY
    ? fields
    : fields.filter((field) => field === first || (!field.optional && field.default === undefined));
};
