import { useEffect, useEffectEvent, useMemo, useState } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useTriedRecords } from "../../actions/use-tried-record.ts";
import { useApplication, useCommands } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { lazyDialog } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { buildRecordActs, type TransitionAct } from "../../workflow/record-acts.ts";
import { type BarFocus, BarLine, EDIT, type Offer } from "./bar-line.tsx";
import { type BulkAct, listBulkActs } from "./bulk-acts.ts";
import { BulkDelete } from "./bulk-delete.tsx";
import { findBulkFields } from "./bulk-edit.ts";
import { BulkResultsDialog } from "./bulk-results-dialog.tsx";
import { useBulkActs } from "./use-bulk-acts.ts";
import type { BulkResults } from "./use-bulk-results.ts";

const BulkEditDialog = lazyDialog(() => import("./bulk-edit-dialog.tsx"));
const TransitionDialog = lazyDialog(() => import("../../actions/transition-dialog.tsx"));

type Confirmation =
  | { readonly kind: "transition"; readonly bulk: BulkAct<TransitionAct> }
  | { readonly kind: "edit"; readonly field: FieldJson }
  | { readonly kind: "delete"; readonly able: readonly RecordJson[] };

interface BulkProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  /** True while permissions are being loaded. */
  readonly pending: boolean;
  readonly focus: BarFocus;
  /** The field in `focus` cannot be edited in several rows at once. */
  readonly onNotForAll: () => void;
  /** Selects all matching records, here or in their list, if more match than are selected. */
  readonly more: { readonly label: string; readonly select: () => void; readonly busy: boolean } | null;
  readonly onKeep: (ids: readonly string[]) => void;
  readonly onExport: () => void;
}

const isTransition = (bulk: BulkAct): bulk is BulkAct<TransitionAct> => bulk.act.kind === "transition";

/** Actions on the selected rows; the number on a button counts the rows for which the server permits it. */
const BulkBar = ({ entity, records: selected, pending, focus, more, onKeep, onExport, ...props }: BulkProps) => {
  const { say } = useWords();
  const [confirming, setConfirming] = useState<Confirmation | null>(null);
  const { screens } = useApplication();
  const { tried, isAwaited } = useTriedRecords(entity, selected);
  const records = useMemo(() => tried.map(({ record }) => record), [tried]);
  const bulks = useMemo(
    () => listBulkActs(entity, records, (record) => buildRecordActs({ entity, record, screens, isOpen: false }, say)),
    [entity, records, screens, say],
  );
  const fields = findBulkFields(entity, records);
  const acting = useBulkActs(entity, onKeep);
  const { running, results, closeResults } = acting;
  // While it runs, a dialog is left by stopping it.
  const close = () => (running === null ? setConfirming(null) : running.stop());
  const countRecords = (count: number) => say("bulk.things", { count, thing: entity.one, things: entity.many });
  /** One act at a time. */
  const confirm = (next: Confirmation) => running === null && setConfirming(next);
  const edit = (field: FieldJson) => confirm({ kind: "edit", field });
  useFieldForAll(focus, fields, !pending && !isAwaited, edit, props.onNotForAll);
  const acts = bulks.flatMap((bulk): readonly Required<Omit<Offer, "busy">>[] => {
    const shared = { key: bulk.act.key, count: bulk.able.length };
    if (isTransition(bulk))
      return [{ ...shared, label: bulk.act.label, run: () => confirm({ kind: "transition", bulk }) }];
    if (bulk.act.kind === "delete")
      return [{ ...shared, label: say("delete.do"), run: () => confirm({ kind: "delete", able: bulk.able }) }];
    const [first] = fields;
    return first === undefined ? [] : [{ ...shared, label: say("bulk.edit"), run: () => edit(first) }];
  });
  const editable = acts.find(({ key }) => key === EDIT)?.count ?? 0;
  useCommands([
    ...fields.map((field) => ({
      label: say("bulk.edit.some.field", { records: countRecords(editable), field: field.label }),
      run: () => edit(field),
    })),
    ...acts
      .filter(({ key }) => key !== EDIT)
      .map(({ label, count, run }) => ({
        label: say("bulk.asks", { act: label, count, thing: entity.one, things: entity.many }),
        run,
      })),
    ...(more === null ? [] : [{ label: more.label, run: more.select }]),
    { label: say("export.selected", { count: records.length }), run: onExport },
    { label: say("bulk.none"), run: () => onKeep([]) },
  ]);

  return (
    <>
      <BarLine
        entity={entity}
        count={records.length}
        pending={pending || isAwaited}
        focus={focus}
        running={confirming?.kind === "edit" ? running : null}
        offers={[
          ...(more === null ? [] : [{ key: "all", label: more.label, busy: more.busy, run: more.select }]),
          ...acts,
          { key: "export", label: say("export.do"), run: onExport },
        ]}
        fields={fields}
        onEdit={edit}
        onNone={() => onKeep([])}
      />
      {confirming?.kind === "transition" && confirming.bulk.able[0] && (
        <LoadingBoundary fallback={null}>
          <TransitionDialog
            entity={entity}
            record={confirming.bulk.able[0]}
            label={confirming.bulk.able[0]._label ?? entity.one}
            {...splitUnable(confirming.bulk)}
            transition={confirming.bulk.act.transition}
            // Those for which it is impossible stay selected, for another act.
            make={(transition, body, moved) => acting.transit(records, moved, transition, body)}
            running={running}
            onClose={close}
          />
        </LoadingBoundary>
      )}
      {confirming?.kind === "edit" && (
        <LoadingBoundary fallback={null}>
          <BulkEditDialog
            entity={entity}
            records={records}
            field={confirming.field}
            edit={acting.edit}
            running={running}
            onRefused={acting.keepRefused}
            onDone={acting.announceEdits}
            onClose={() => setConfirming(null)}
          />
        </LoadingBoundary>
      )}
      {confirming?.kind === "delete" && (
        <BulkDelete
          entity={entity}
          records={confirming.able}
          remove={acting.remove}
          running={running}
          onClose={close}
        />
      )}
      {results && (
        <BulkResultsDialog
          {...results}
          entity={entity}
          running={running}
          instead={listInstead(bulks, results)}
          onChoose={({ key }) => {
            closeResults();
            const bulk = bulks.filter(isTransition).find(({ act }) => act.key === key);
            if (bulk !== undefined) setConfirming({ kind: "transition", bulk });
          }}
          onClose={closeResults}
        />
      )}
    </>
  );
};

/** Edits the field for which a key was pressed in all selected rows, once it is known if that is possible. */
const useFieldForAll = (
  { field: asked, onReached }: BarFocus,
  fields: readonly FieldJson[],
  isKnown: boolean,
  edit: (field: FieldJson) => void,
  onNotForAll: () => void,
): void => {
  const begin = useEffectEvent(() => {
    const field = fields.find(({ name }) => name === asked);
    if (field === undefined) onNotForAll();
    else edit(field);
    onReached();
  });
  useEffect(() => {
    if (asked !== null && isKnown) begin();
  }, [asked, isKnown]);
};

/** The transitions that are possible in the place of a refused one. What got no answer is tried again. */
const listInstead = (bulks: readonly BulkAct[], { transition, retry }: BulkResults): readonly TransitionAct[] =>
  transition === null || retry !== undefined
    ? []
    : bulks.filter(isTransition).flatMap(({ act }) => (act.transition.name === transition.name ? [] : [act]));

/** Of several selected records, all are in the list of the dialog: those for which it is impossible with the reason. */
const splitUnable = ({ able, unable }: BulkAct) =>
  able.length + unable.length === 1 ? {} : { several: able, refusedBefore: unable };

export default BulkBar;
