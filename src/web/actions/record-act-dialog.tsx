import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { Body } from "../api/requests.ts";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import type { RecordAct } from "../workflow/record-acts.ts";

const DeleteDialog = lazyDialog(async () => ({ default: (await import("./delete-dialog.tsx")).DeleteDialog }));
const RefusedActPanel = lazyDialog(async () => ({
  default: (await import("./refused-act-panel.tsx")).RefusedActPanel,
}));
const TransitionDialog = lazyDialog(() => import("./transition-dialog.tsx"));

interface RecordActDialogProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** The act that `usePerform` asks about; null if none. */
  readonly act: RecordAct | null;
  readonly make: (transition: TransitionJson, body: Body) => Promise<void>;
  readonly perform: (act: RecordAct) => void;
  /** The control beside which a refusal is explained, if the focus does not return to it. */
  readonly anchor?: HTMLElement | null;
  readonly onClose: () => void;
}

/**
 * The dialog before an act on one record: it asks for the input of a transition, or confirms a deletion. Of a refused act,
 * the panel that explains why.
 */
export const RecordActDialog = ({ act, make, perform, anchor, ...props }: RecordActDialogProps) => {
  if (act === null) return null;
  if (act.refused !== null)
    return (
      <LoadingBoundary fallback={null}>
        <RefusedActPanel key={act.key} {...props} act={act} why={act.refused} anchor={anchor} perform={perform} />
      </LoadingBoundary>
    );
  return (
    <LoadingBoundary fallback={null}>
      {act.kind === "delete" && <DeleteDialog {...props} />}
      {act.kind === "transition" && <TransitionDialog {...props} transition={act.transition} make={make} />}
    </LoadingBoundary>
  );
};
