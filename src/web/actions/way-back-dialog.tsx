import type { EntityJson } from "../../core/wire/entities.ts";
import type { WayBack } from "../app/app-state.ts";
import { useTransition } from "../workflow/use-transition.ts";
import TransitionDialog from "./transition-dialog.tsx";

interface WayBackDialogProps {
  readonly entity: EntityJson;
  readonly wayBack: WayBack;
  readonly onClose: () => void;
}

/** Asks for the input of a transition that takes the last one back. */
const WayBackDialog = ({ entity, wayBack: { record, transition }, onClose }: WayBackDialogProps) => {
  const { transit } = useTransition(entity);
  return (
    <TransitionDialog
      entity={entity}
      record={record}
      label={record._label ?? entity.one}
      transition={transition}
      make={(chosen, body) => transit(record, chosen, body)}
      onClose={onClose}
    />
  );
};

export default WayBackDialog;
