import { type ComponentProps, useMemo, useRef, useState } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { LATE_MS } from "../../actions/delete-dialog.tsx";
import { useDeletionTrial } from "../../actions/use-deletion-trial.ts";
import { useTriedRecords } from "../../actions/use-tried-record.ts";
import { useTrashDays } from "../../actions/use-undo.ts";
import { useApplication, useCommands, useDelayed, useKeys, usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { ClauseNote } from "../../ui/clause.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { roomInContainer, useFitting } from "../../ui/dom/use-fitting.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { type RunningAct, StopOr } from "../../ui/overlay/stop-or.tsx";
import { lazyDialog } from "../../ui/page/lazy.tsx";
import { SkeletonLine } from "../../ui/page/region-status.tsx";
import {
  type BulkAct,
  buildRecordActs,
  isExpected,
  listBulkActs,
  type TransitionAct,
} from "../../workflow/record-acts.ts";
import { findBulkFields } from "./bulk-edit.ts";
import { BulkResultsDialog } from "./bulk-results-dialog.tsx";
import { FailedRecords, RecordNames } from "./failed-records.tsx";
import { groupByReason } from "./group-by-reason.ts";
import { useBulkActs } from "./use-bulk-acts.ts";
import type { BulkResults } from "./use-bulk-results.ts";
import "./bulk-bar.css";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";

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

/** Something that the bar offers, as a button or in its menu. */
interface Offer {
  readonly key: string;
  readonly label: string;
  /** Of an act, the number of rows for which it is possible. */
  readonly count?: number;
  readonly busy?: boolean;
  readonly run: () => void;
}

/** Actions on the selected rows; the number on a button counts the rows for which the server permits it. */
const BulkBar = ({ entity, records: selected, pending, more, onKeep, onExport }: BulkProps) => {
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
  const edit = (field: FieldJson) => setConfirming({ kind: "edit", field });
  const acts = bulks.flatMap((bulk): readonly Required<Omit<Offer, "busy">>[] => {
    const shared = { key: bulk.act.key, count: bulk.able.length };
    if (isTransition(bulk))
      return [{ ...shared, label: bulk.act.label, run: () => setConfirming({ kind: "transition", bulk }) }];
    if (bulk.act.kind === "delete")
      return [{ ...shared, label: say("delete.do"), run: () => setConfirming({ kind: "delete", able: bulk.able }) }];
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
    ...(more === null ? [] : [{ label: say("bulk.all", { count: more.count }), run: more.select }]),
    { label: say("export.selected", { count: records.length }), run: onExport },
    { label: say("bulk.none"), run: () => onKeep([]) },
  ]);

  return (
    <>
      <Bar
        entity={entity}
        count={records.length}
        pending={pending || isAwaited}
        offers={[
          ...(more === null
            ? []
            : [{ key: "all", label: say("bulk.all", { count: more.count }), busy: more.busy, run: more.select }]),
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
            {...splitUnable(confirming.bulk, entity)}
            transition={confirming.bulk.act.transition}
            make={(transition, body, moved) => {
              // Those that a rule refuses stay selected, for another act.
              const refused = splitUnable(confirming.bulk, entity).refusedBefore.map(({ record }) => record);
              return acting.transit([...confirming.bulk.able, ...refused], moved, transition, body);
            }}
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

/** The key of the act that edits. */
const EDIT = "edit";

interface BarProps {
  readonly entity: EntityJson;
  readonly count: number;
  readonly pending: boolean;
  readonly offers: readonly Offer[];
  readonly fields: readonly FieldJson[];
  readonly onEdit: (field: FieldJson) => void;
  readonly onNone: () => void;
}

/** One line: the offers that fit as buttons, and the others in a menu. The first act stands out. */
const Bar = ({ entity, count, pending, offers, fields, onEdit, onNone }: BarProps) => {
  const { say, show } = useWords();
  const phone = usePhone();
  const isShown = useShownWhole(pending);
  const popup = usePopup();
  const first = offers.find((offer) => offer.count !== undefined)?.key;
  const editing = usePopup();
  const { ref, fitting } = useFitting(
    offers.map(({ key }) => key),
    { roomOf: roomInContainer },
  );
  const folded = offers.filter(({ key }) => !fitting.has(key));
  const [onlyField, another] = fields;
  /** Asks for the value of the only field, or for the field first. */
  const edit = () => {
    if (onlyField === undefined) return;
    if (another === undefined) return onEdit(onlyField);
    // In the menu of the bar, it has no button of its own.
    editing.anchor.current ??= popup.anchor.current;
    editing.show();
  };
  useKeys({ e: offers.some(({ key }) => key === EDIT) ? edit : undefined });
  return (
    <section ref={ref} className="bulk one-line" aria-label={say("bulk.title")} aria-busy={pending} hidden={!isShown}>
      <b className="figures">
        <span className={phone ? "hidden-words" : undefined}>{say("bulk.selected", { count })}</span>
        {/* On phones, acts need the room of its words. */}
        {phone && <span aria-hidden="true">{show.number(count)}</span>}
      </b>
      {offers
        .filter((offer) => !folded.includes(offer))
        .map((offer) => {
          const look = offer.key === first ? ({ look: "plain", className: "bulk-first" } as const) : {};
          return offer.key === EDIT ? (
            <ActButton
              key={EDIT}
              data-fit={EDIT}
              act={offer.label}
              count={offer.count ?? 0}
              entity={entity}
              aria-keyshortcuts="E"
              {...(another === undefined ? { onClick: edit } : { ...editing.control, "aria-haspopup": "menu" })}
              {...look}
            />
          ) : offer.count !== undefined ? (
            <ActButton
              key={offer.key}
              data-fit={offer.key}
              act={offer.label}
              count={offer.count}
              entity={entity}
              onClick={offer.run}
              {...look}
            />
          ) : (
            <Button
              key={offer.key}
              data-fit={offer.key}
              small
              look="quiet"
              busy={offer.busy ?? false}
              onClick={offer.run}
            >
              {offer.label}
            </Button>
          );
        })}
      {folded.length > 0 && (
        <>
          <IconButton icon="more" small label={say("bulk.more")} aria-haspopup="menu" {...popup.control} />
          <Menu
            popup={popup}
            label={say("bulk.more")}
            items={folded.map(({ key, label, count, run }) => ({
              key,
              act: key === EDIT ? edit : run,
              ...(count === undefined
                ? { label }
                : {
                    label: say("record.asks", { transition: label }),
                    asks: true as const,
                    note: say("bulk.things", { count, thing: entity.one, things: entity.many }),
                  }),
            }))}
          />
        </>
      )}
      <IconButton icon="close" small label={say("bulk.none")} onClick={onNone} />
      {another !== undefined && (
        <Menu
          popup={editing}
          label={say("bulk.edit.field")}
          side="start"
          items={fields.map((field) => ({
            key: field.name,
            label: field.label,
            asks: true,
            act: () => onEdit(field),
          }))}
        />
      )}
    </section>
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

/** The transitions that are possible in the place of a refused one. What got no answer is tried again. */
const listInstead = (bulks: readonly BulkAct[], { transition, retry }: BulkResults): readonly TransitionAct[] =>
  transition === null || retry !== undefined
    ? []
    : bulks.filter(isTransition).flatMap(({ act }) => (act.transition.name === transition.name ? [] : [act]));

/**
 * Of several records, those that a rule refuses are in the list, with the reason: they were expected to be possible. The
 * others, such as those in another state, are in a note.
 */
const splitUnable = (bulk: BulkAct, entity: EntityJson) => {
  const { able, unable } = bulk;
  const isSeveral = able.length > 1;
  const refusedBefore = unable.flatMap(({ record, why }) =>
    isSeveral && why !== null && isExpected({ refused: why }) ? [{ record, why }] : [],
  );
  const listed = new Set(refusedBefore.map(({ record }) => record.id));
  const others = unable.filter(({ record }) => !listed.has(record.id));
  return {
    several: isSeveral ? able : undefined,
    refusedBefore,
    note: <Unable bulk={{ ...bulk, unable: others }} entity={entity} />,
  };
};

interface BulkDeleteProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  readonly remove: (able: readonly RecordJson[]) => Promise<void>;
  readonly running: RunningAct | null;
  readonly onClose: () => void;
}

/** Asks before records are deleted, and names those whose deletion is refused. Without any other, it asks nothing. */
const BulkDelete = ({ entity, records, remove, running, onClose }: BulkDeleteProps) => {
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
        <StopOr running={running}>
          <Button look={canDelete ? "quiet" : "plain"} onClick={onClose}>
            {say(canDelete ? "form.cancel" : "close")}
          </Button>
        </StopOr>
      </footer>
    </Dialog>
  );
};

export default BulkBar;
