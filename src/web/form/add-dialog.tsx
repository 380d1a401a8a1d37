import type { EntityJson } from "../../core/wire/entities.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";
import type { ThroughJson } from "../../core/wire/screens.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findNewScreen } from "../routing/routes.ts";
import { useToast } from "../ui/overlay/toast.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { FormDialog } from "./form-dialog.tsx";
import { useOneShotForm } from "./use-one-shot-form.tsx";

interface AddDialogProps {
  readonly entity: EntityJson;
  /** The reference to the record from whose page it was opened. */
  readonly by: string;
  readonly to: ReferenceJson;
  /** Set if that reference is derived from another one, which is asked for instead. */
  readonly through: ThroughJson | undefined;
  readonly onClose: () => void;
}

/** Creates a record that refers to the one shown: the reference is filled in, the other fields are asked for. */
const AddDialog = ({ entity, by, to, through, onClose }: AddDialogProps) => {
  const { say } = useWords();
  const { calls, queries } = useClient();
  const { screens } = useApplication();
  const toast = useToast();
  const named = findNewScreen(screens, entity.name)?.fields ?? entity.create ?? [];
  const fields = named
    .filter((name) => name !== by && entity.create?.includes(name) === true)
    .flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);
  const names = entity.fields.find((field) => field.name === by)?.many ? [to.id] : to.id;
  const fixed = through === undefined ? { [by]: names } : {};
  const close = useWhileMounted(onClose);
  const oneShot = useOneShotForm("create", fields, null, { entity, transition: null }, async (body, key) => {
    await calls.create(entity.calls, { ...body, ...fixed }, key);
    toast(say("related.made", { thing: entity.one }));
    // Computed fields of the record may have changed as well.
    await reload(queries, { queryKey: ["of"] });
    close();
  });
  return (
    <FormDialog
      oneShot={oneShot}
      title={say("related.title", { thing: entity.one, label: to.label })}
      act={say("related.make")}
      refused={say("related.not.made", { thing: entity.one })}
      of={{
        record: null,
        values: { [by]: to.id },
        ...(through === undefined ? {} : { narrowed: { [through.field]: [[through.of, to.id]] } }),
      }}
      onClose={onClose}
    />
  );
};

export default AddDialog;
