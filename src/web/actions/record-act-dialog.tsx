import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { Body } from "../api/requests.ts";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import type { RecordAct } from "../workflow/record-acts.ts";

const DeleteDialog = lazyDialog(async () => ({ default: (await import("./delete-dialog.tsx")).DeleteDialog }));
const TransitionDialog = lazyDialog(() => import("./transition-dialog.tsx"));

interface RecordActDialogProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** The act that `usePerform` asks about; null if none. */
  readonly act: RecordAct | null;
  readonly make: (transition: TransitionJson, body: Body) => Promise<void>;
  readonly onClose: () => void;
}

/** The dialog before an act on one record: it asks for the input of a transition, or confirms a deletion. */
export const RecordActDialog = ({ act, make, ...props }: RecordActDialogProps) => {
  if (act === null) return null;
  return (
    <LoadingBoundary fallback={null}>
      {act.kind === "delete" && <DeleteDialog {...props} />}
      {act.kind === "transition" && <TransitionDialog {...props} transition={act.transition} make={make} />}
    </LoadingBoundary>
  );
};
