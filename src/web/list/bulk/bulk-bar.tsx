import { Suspense, useState } from "react";
import type { EntityJson, FieldJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { type ActOutcome, forEach } from "../../actions/for-each.ts";
import { useTrashDays, useUndo } from "../../actions/use-undo.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { type Body, newKey } from "../../api/requests.ts";
import { useClient, useLocale } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { WhySentence } from "../../ui/overlay/why-sentence.tsx";
import { lazyDialog } from "../../ui/page/lazy.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import { type Bulk, findBulkActions } from "./bulk-actions.ts";
import { findBulkFields, restoringBody } from "./bulk-edit.ts";
import "./bulk-bar.css";

type BulkOutcome = ActOutcome<RecordJson, unknown>;

/** The results of an act on several records, and how to undo it for those that it was done to. */
interface BulkResults {
  readonly what: string;
  readonly outcomes: readonly BulkOutcome[];
  readonly undo: (() => void) | undefined;
}

const BulkEditDialog = lazyDialog(() => import("./bulk-edit-dialog.tsx"));
const TransitionDialog = lazyDialog(() => import("../../actions/transition-dialog.tsx"));

type Confirmation =
  | { readonly kind: "transition"; readonly bulk: Bulk }
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

const isEditable = ({ may }: RecordJson): boolean => (may?.update.length ?? 0) > 0;

/** Actions on the selected rows; the number on a button counts the rows for which the server permits it. */
const BulkBar = ({ entity, records, pending, more, onKeep, onExport }: BulkProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [confirming, setConfirming] = useState<Confirmation | null>(null);
  const [results, setResults] = useState<BulkResults | null>(null);
  const undo = useUndo(entity);
  const bulks = findBulkActions(entity, records);
  const [first] = bulks;
  const context = useLocale();
  const fields = findBulkFields(entity, records);
  const deletable = records.filter(({ may }) => may?.delete === true);

  const finish = async (
    what: string,
    outcomes: readonly BulkOutcome[],
    undo: BulkResults["undo"],
    done = say("bulk.done", { what, count: outcomes.length, things: entity.many, thing: entity.one }),
  ) => {
    const failed = outcomes.filter((one) => one.failed !== null);
    onKeep(failed.map(({ record }) => record.id));
    await queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
    if (failed.length > 0) setResults({ what, outcomes, undo: failed.length < outcomes.length ? undo : undefined });
    else toast(done, undo);
  };
  const transit = async ({ able }: Bulk, transition: TransitionJson, body: Body) => {
    const outcomes = await forEach(able, (record) =>
      calls.transition(entity.calls, record.id, transition.name, record.version, body, newKey()),
    );
    const moved = outcomes.flatMap((one) => (one.failed === null ? [{ before: one.record, after: one.result }] : []));
    return finish(transition.label, outcomes, undo.canTakeBack(moved) ? () => void undo.takeBack(moved) : undefined);
  };
  const remove = async (able: readonly RecordJson[]) => {
    const { bringBack } = undo;
    const outcomes = await forEach(able, (record) => calls.remove(entity.calls, record.id, record.version));
    const gone = outcomes.flatMap((one) => (one.failed === null ? [one.record] : []));
    return finish(
      say("delete.do"),
      outcomes,
      bringBack && (() => void bringBack(gone)),
      say("delete.done.several", { count: outcomes.length, things: entity.many, thing: entity.one }),
    );
  };
  const edited = (outcomes: readonly ActOutcome<RecordJson, RecordJson>[], fields: readonly FieldJson[]) => {
    const changed = outcomes.flatMap((one) => {
      if (one.failed !== null || one.result.version === one.record.version) return [];
      const body = restoringBody(one.record, fields, context);
      return body === undefined ? [] : [{ after: one.result, body }];
    });
    return finish(
      say("bulk.edit"),
      outcomes,
      changed.length > 0 ? () => void undo.restore(changed) : undefined,
      say("bulk.edited", { count: outcomes.length, things: entity.many, thing: entity.one }),
    );
  };
  const countRecords = (count: number) => say("bulk.things", { count, thing: entity.one, things: entity.many });

  return (
    <>
      <section className="bulk" aria-label={say("bulk.title")} aria-busy={pending}>
        <b className="figures">{say("bulk.selected", { count: records.length })}</b>
        {more && (
          <Button small look="quiet" busy={more.busy} onClick={more.select}>
            {say("bulk.all", { count: more.count })}
          </Button>
        )}
        {first && first.unable.length > 0 && <Unable bulk={first} entity={entity} />}
        {bulks.map((bulk, at) => (
          <Button
            key={bulk.transition.name}
            small
            look={at === 0 ? "plain" : "quiet"}
            className={at === 0 ? "bulk-first" : ""}
            onClick={() => setConfirming({ kind: "transition", bulk })}
          >
            {say(bulk.transition.asks.length > 0 ? "bulk.asks" : "bulk.do", {
              transition: bulk.transition.label,
              count: bulk.able.length,
            })}
          </Button>
        ))}
        {fields.length > 0 && (
          <EditButton
            fields={fields}
            count={records.filter(isEditable).length}
            choose={(field) => setConfirming({ kind: "edit", field })}
          />
        )}
        {deletable.length > 0 && (
          <Button small look="quiet" onClick={() => setConfirming({ kind: "delete", able: deletable })}>
            {say("bulk.delete", { count: deletable.length })}
          </Button>
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
            label={countRecords(confirming.bulk.able.length)}
            several
            transition={confirming.bulk.transition}
            make={(transition, body) => transit(confirming.bulk, transition, body)}
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
            onDone={edited}
            onClose={() => setConfirming(null)}
          />
        </Suspense>
      )}
      {confirming?.kind === "delete" && (
        <BulkDelete
          words={say("delete.title", { label: countRecords(confirming.able.length) })}
          entity={entity}
          remove={() => remove(confirming.able)}
          onClose={() => setConfirming(null)}
        />
      )}
      {results && <Results {...results} onClose={() => setResults(null)} />}
    </>
  );
};

/** Lists the fields that can be edited. A field opens the dialog that asks for its value. */
const EditButton = ({
  fields,
  count,
  choose,
}: {
  fields: readonly FieldJson[];
  count: number;
  choose: (field: FieldJson) => void;
}) => {
  const { say } = useWords();
  const popup = usePopup();
  return (
    <>
      <Button small look="quiet" {...popup.control} aria-haspopup="menu">
        {say("bulk.edit.some.do", { count })}
      </Button>
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

/** "1 cannot: why": the rows for which the first action is not possible, with the reasons. */
const Unable = ({ bulk: { transition, unable }, entity }: { bulk: Bulk; entity: EntityJson }) => {
  const { say } = useWords();
  const popup = usePopup();
  const title = say("bulk.unable", { count: unable.length, transition: transition.label });
  return (
    <>
      <button type="button" {...popup.control} className="bulk-unable" aria-haspopup="dialog">
        {title}
      </button>
      <PopupPanel popup={popup} label={title} className="bulk-why" focus="panel">
        <ul>
          {unable.map(({ record, why }) => (
            <li key={record.id}>
              <b>
                <bdi>{record._label ?? entity.one}</bdi>
              </b>
              <p>
                {why?.because ?? say("bulk.not.open")} {why && <ClauseId of={why.clause} />}
              </p>
            </li>
          ))}
        </ul>
      </PopupPanel>
    </>
  );
};

const BulkDelete = ({
  words,
  entity,
  remove,
  onClose,
}: {
  words: string;
  entity: EntityJson;
  remove: () => Promise<void>;
  onClose: () => void;
}) => {
  const { say } = useWords();
  const [busy, setBusy] = useState(false);
  const days = useTrashDays(entity);
  return (
    <Dialog title={words} onClose={onClose}>
      <p className="dialog-words">{days > 0 ? say("delete.words.trash.several", { days }) : say("delete.words")}</p>
      <footer className="dialog-foot">
        <Button
          look="danger"
          busy={busy}
          onClick={() => {
            setBusy(true);
            void remove().then(onClose);
          }}
        >
          {say("delete.do")}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {say("form.cancel")}
        </Button>
      </footer>
    </Dialog>
  );
};

/** The result for each row, if some failed. */
const Results = ({ what, outcomes, undo, onClose }: BulkResults & { onClose: () => void }) => {
  const { say } = useWords();
  const sentence = useFailureWords();
  const failed = outcomes.filter((one) => one.failed !== null);
  return (
    <Dialog
      title={say("bulk.results", { what, done: outcomes.length - failed.length, count: outcomes.length })}
      onClose={onClose}
    >
      <ul className="bulk-results">
        {[...failed, ...outcomes.filter((one) => one.failed === null)].map(({ record, failed: thrown }) => {
          const failure = thrown === null ? null : toFailure(thrown);
          return (
            <li key={record.id} data-failed={failure !== null || undefined}>
              <Icon name={failure === null ? "check" : "alert"} />
              <div>
                <bdi>{record._label}</bdi>
                {failure && (
                  <div className="bulk-failure">
                    <WhySentence
                      words={sentence(failure)}
                      clause={failure.kind === "refused" ? failure.problem.clause : null}
                    />
                  </div>
                )}
                {failure === null && <span className="hidden-words">{say("bulk.result.done")}</span>}
              </div>
            </li>
          );
        })}
      </ul>
      {undo && (
        <footer className="dialog-foot">
          <Button
            onClick={() => {
              onClose();
              undo();
            }}
          >
            {say("bulk.undo", { count: outcomes.length - failed.length })}
          </Button>
        </footer>
      )}
    </Dialog>
  );
};

export default BulkBar;
