import { type ComponentProps, Suspense, useMemo, useRef, useState } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { LATE_MS } from "../../actions/delete-dialog.tsx";
import { useDeletionTrial } from "../../actions/use-deletion-trial.ts";
import { useTrashDays } from "../../actions/use-undo.ts";
import { useApplication, useCommands, useDelayed, useKeys } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { ClauseNote } from "../../ui/clause.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { lazyDialog } from "../../ui/page/lazy.tsx";
import { SkeletonLine } from "../../ui/page/region-status.tsx";
import { type BulkAct, buildRecordActs, listBulkActs, type TransitionAct } from "../../workflow/record-acts.ts";
import { findBulkFields } from "./bulk-edit.ts";
import { BulkResultsDialog } from "./bulk-results-dialog.tsx";
import { FailedRecords, RecordNames } from "./failed-records.tsx";
import { groupByReason } from "./group-by-reason.ts";
import { useBulkActs } from "./use-bulk-acts.ts";
import "./bulk-bar.css";

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
  /** Selects all matching records, if more match than are selected. */
  readonly more: { readonly count: string; readonly select: () => void; readonly busy: boolean } | null;
  readonly onKeep: (ids: readonly string[]) => void;
  readonly onExport: () => void;
}

const isTransition = (bulk: BulkAct): bulk is BulkAct<TransitionAct> => bulk.act.kind === "transition";

/** Actions on the selected rows; the number on a button counts the rows for which the server permits it. */
const BulkBar = ({ entity, records, pending, more, onKeep, onExport }: BulkProps) => {
  const { say } = useWords();
  const [confirming, setConfirming] = useState<Confirmation | null>(null);
  const { screens } = useApplication();
  const bulks = useMemo(
    () => listBulkActs(entity, records, (record) => buildRecordActs({ entity, record, screens, isOpen: false }, say)),
    [entity, records, screens, say],
  );
  const transitions = bulks.filter(isTransition);
  const deletion = bulks.find(({ act }) => act.kind === "delete");
  const fields = findBulkFields(entity, records);

  const { transit, remove, keepRefused, announceEdits, results, closeResults } = useBulkActs(entity, onKeep);
  const editable = bulks.find(({ act }) => act.kind === "edit")?.able.length ?? 0;
  const countRecords = (count: number) => say("bulk.things", { count, thing: entity.one, things: entity.many });
  const asksFor = (act: string, count: number) =>
    say("bulk.asks", { act, count, thing: entity.one, things: entity.many });
  useCommands([
    ...transitions.map((bulk) => ({
      label: asksFor(bulk.act.label, bulk.able.length),
      run: () => setConfirming({ kind: "transition", bulk }),
    })),
    ...fields.map((field) => ({
      label: say("bulk.edit.some.field", { records: countRecords(editable), field: field.label }),
      run: () => setConfirming({ kind: "edit", field }),
    })),
    ...(deletion === undefined
      ? []
      : [
          {
            label: asksFor(say("delete.do"), deletion.able.length),
            run: () => setConfirming({ kind: "delete", able: deletion.able }),
          },
        ]),
    ...(more === null ? [] : [{ label: say("bulk.all", { count: more.count }), run: more.select }]),
    { label: say("export.selected", { count: records.length }), run: onExport },
    { label: say("bulk.none"), run: () => onKeep([]) },
  ]);
  const isShown = useShownWhole(pending);

  return (
    <>
      <section className="bulk" aria-label={say("bulk.title")} aria-busy={pending} hidden={!isShown}>
        <b className="figures">{say("bulk.selected", { count: records.length })}</b>
        {more && (
          <Button small look="quiet" busy={more.busy} onClick={more.select}>
            {say("bulk.all", { count: more.count })}
          </Button>
        )}
        {transitions.map((bulk, at) => (
          <ActButton
            key={bulk.act.key}
            act={bulk.act.label}
            count={bulk.able.length}
            entity={entity}
            look={at === 0 ? "plain" : "quiet"}
            className={at === 0 ? "bulk-first" : ""}
            onClick={() => setConfirming({ kind: "transition", bulk })}
          />
        ))}
        {fields.length > 0 && (
          <EditButton
            fields={fields}
            count={editable}
            entity={entity}
            choose={(field) => setConfirming({ kind: "edit", field })}
          />
        )}
        {deletion && (
          <ActButton
            act={say("delete.do")}
            count={deletion.able.length}
            entity={entity}
            onClick={() => setConfirming({ kind: "delete", able: deletion.able })}
          />
        )}
        <Button small look="quiet" onClick={onExport}>
          {say("export.do")}
        </Button>
        <IconButton icon="close" small label={say("bulk.none")} onClick={() => onKeep([])} />
      </section>
      {confirming?.kind === "transition" && confirming.bulk.able[0] && (
        <Suspense fallback={null}>
          <TransitionDialog
            entity={entity}
            record={confirming.bulk.able[0]}
            label={(records.length === 1 && records[0]?._label) || countRecords(confirming.bulk.able.length)}
            {...(records.length > 1 && { several: <Unable bulk={confirming.bulk} entity={entity} /> })}
            transition={confirming.bulk.act.transition}
            make={(transition, body) => transit(confirming.bulk.able, transition, body)}
            onClose={() => setConfirming(null)}
          />
        </Suspense>
      )}
      {confirming?.kind === "edit" && (
        <Suspense fallback={null}>
          <BulkEditDialog
            entity={entity}
            records={records}
            field={confirming.field}
            onRefused={keepRefused}
            onDone={announceEdits}
            onClose={() => setConfirming(null)}
          />
        </Suspense>
      )}
      {confirming?.kind === "delete" && (
        <BulkDelete entity={entity} records={confirming.able} remove={remove} onClose={() => setConfirming(null)} />
      )}
      {results && <BulkResultsDialog {...results} entity={entity} onClose={closeResults} />}
    </>
  );
};

/** Milliseconds after which the bar is shown without the actions that are still loading. */
const LATE = 600;

/**
 * True once the bar can be shown with all its actions. It is centred, so each action that came later would move the
 * others under the pointer. Once shown, it stays.
 */
const useShownWhole = (pending: boolean): boolean => {
  const isLate = useDelayed(pending, LATE);
  const wasShown = useRef(false);
  wasShown.current ||= !pending || isLate;
  return wasShown.current;
};

interface ActButtonProps extends Omit<ComponentProps<typeof Button>, "children" | "small"> {
  readonly act: string;
  readonly count: number;
  readonly entity: EntityJson;
}

/** An act with the number of rows set apart, so that it does not read as part of the act. */
const ActButton = ({ act, count, entity, look = "quiet", ...rest }: ActButtonProps) => {
  const { say, show } = useWords();
  return (
    <Button small look={look} {...rest}>
      {say("record.asks", { transition: act })} <span className="bulk-count figures">{show.number(count)}</span>{" "}
      <span className="hidden-words">{count === 1 ? entity.one : entity.many}</span>
    </Button>
  );
};

/** Lists the fields that can be edited. A field opens the dialog that asks for its value. */
const EditButton = ({
  fields,
  choose,
  ...rest
}: Pick<ActButtonProps, "count" | "entity"> & {
  fields: readonly FieldJson[];
  choose: (field: FieldJson) => void;
}) => {
  const { say } = useWords();
  const popup = usePopup();
  const { show } = popup;
  useKeys(useMemo(() => ({ e: show }), [show]));
  return (
    <>
      <ActButton act={say("bulk.edit")} {...rest} {...popup.control} aria-haspopup="menu" aria-keyshortcuts="E" />
      <Menu
        popup={popup}
        label={say("bulk.edit.field")}
        side="start"
        items={fields.map((field) => ({
          key: field.name,
          label: field.label,
          asks: true,
          act: () => choose(field),
        }))}
      />
    </>
  );
};

/** The rows for which the action is not possible, with the reasons when opened. */
const Unable = ({ bulk: { act, unable }, entity }: { bulk: BulkAct; entity: EntityJson }) => {
  const { say } = useWords();
  if (unable.length === 0) return null;
  return (
    <details className="bulk-unable">
      <summary>{say("bulk.unable", { count: unable.length, transition: act.label })}</summary>
      <ul>
        {groupByReason(
          unable.map(({ record, why }) => ({
            record,
            words: why?.because ?? say("bulk.not.open"),
            clause: why?.clause,
          })),
        ).map(({ words, clause, records }) => (
          <li key={`${words} ${clause}`}>
            <RecordNames records={records} entity={entity} />
            <p>
              {words} <ClauseNote of={clause} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
};

interface BulkDeleteProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  readonly remove: (able: readonly RecordJson[]) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before records are deleted, and names those whose deletion is refused. Without any other, it asks nothing. */
const BulkDelete = ({ entity, records, remove, onClose }: BulkDeleteProps) => {
  const { say } = useWords();
  const [busy, setBusy] = useState(false);
  const days = useTrashDays(entity);
  const { isPending, able, refused } = useDeletionTrial(entity, records, !busy);
  const isLate = useDelayed(isPending, LATE_MS);
  if (isPending && !isLate) return null;
  const canDelete = able.length > 0;
  const count = canDelete ? able.length : records.length;
  const label = say("bulk.things", { count, thing: entity.one, things: entity.many });
  return (
    <Dialog title={say(canDelete ? "delete.title" : "delete.refused.title", { label })} onClose={onClose}>
      {isPending ? (
        <p className="dialog-words" aria-busy="true">
          <SkeletonLine width="70%" />
        </p>
      ) : (
        canDelete && (
          <p className="dialog-words">{days > 0 ? say("delete.words.trash.several", { days }) : say("delete.words")}</p>
        )
      )}
      {refused.length > 0 && (
        <ul className="bulk-results">
          <FailedRecords outcomes={refused} entity={entity} onOpen={onClose} />
        </ul>
      )}
      <footer className="dialog-foot">
        {canDelete && (
          <Button
            look="danger"
            busy={busy}
            aria-disabled={isPending || undefined}
            onClick={() => {
              if (isPending) return;
              setBusy(true);
              void remove(able).then(onClose);
            }}
          >
            {say("delete.do")}
          </Button>
        )}
        <Button look={canDelete ? "quiet" : "plain"} onClick={onClose}>
          {say(canDelete ? "form.cancel" : "close")}
        </Button>
      </footer>
    </Dialog>
  );
};

export default BulkBar;
