import { type RefObject, useRef, useState } from "react";
import type { EntityJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useApplication } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { findListScreen, recordAddress } from "../../routing/routes.ts";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { useLeaveKey } from "../../ui/dom/form-keys.ts";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { findInitialState, nextActionsAfterCreate } from "../../workflow/workflow.ts";
import type { useForm } from "../hooks/use-form.ts";
import { isChanged } from "../state/form-node.ts";

interface FormFootProps {
  /** The title of the page: the button that creates a record repeats it if it says what to do. */
  readonly title: string;
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly work: Pick<ReturnType<typeof useForm>, "form" | "storedAt" | "restored" | "busy">;
  /** The transition that the form offers besides saving. */
  readonly onward: TransitionJson | null;
  readonly onwardRef: RefObject<HTMLButtonElement | null>;
  /** Called before the form is submitted to be saved only. */
  readonly onSave: () => void;
  readonly onOnward: (transition: TransitionJson) => void;
  readonly onDiscard: () => void;
}

/** The buttons of a form, and the state of its draft. */
export const FormFoot = ({
  title,
  entity,
  record,
  work,
  onward,
  onwardRef,
  onSave,
  onOnward,
  onDiscard,
}: FormFootProps) => {
  const { say, show } = useWords();
  const { screens } = useApplication();
  const { form, storedAt, restored, busy } = work;
  /** The button whose request is in progress. */
  const [pressed, setPressed] = useState<"save" | "onward">("save");
  const dirty = isChanged(form);
  const cancel = useRef<HTMLAnchorElement>(null);
  useLeaveKey(cancel, dirty);
  const first = findInitialState(entity);
  const backTo = record ? recordAddress(screens, entity.name, record.id) : findListScreen(screens, entity.name)?.path;
  return (
    <footer className="form-foot">
      {onward && (
        <Button
          ref={onwardRef}
          look="primary"
          aria-keyshortcuts="Control+Enter"
          busy={busy && pressed === "onward"}
          // Enter in a field only saves; a transition needs a deliberate click, or Ctrl+Enter.
          onClick={({ detail }) => {
            if (busy || detail > 1) return;
            setPressed("onward");
            onOnward(onward);
          }}
        >
          {onward.label}
        </Button>
      )}
      <Button
        type="submit"
        form="form"
        look={onward ? "plain" : "primary"}
        busy={busy && pressed === "save"}
        onClick={() => {
          setPressed("save");
          onSave();
        }}
      >
        {record
          ? say("form.save")
          : onward !== null && first !== null
            ? say("form.save.as", { state: first.label })
            : say("form.save.title", { title, thing: entity.one })}
      </Button>
      {backTo && (
        <Link ref={cancel} href={backTo} className={buttonClass("quiet")} aria-keyshortcuts="Escape">
          {say("form.cancel")}
        </Link>
      )}
      {dirty && restored === null && (
        <Button look="quiet" onClick={onDiscard} className="from-tablet">
          {say("form.discard")}
        </Button>
      )}
      {record === null && onward === null && <ThenWords entity={entity} />}
      <span className="kept" role="status">
        {storedAt !== null && dirty && (
          <>
            <Icon name="check" /> {say("form.kept", { at: show.time(storedAt) })}
          </>
        )}
      </span>
    </footer>
  );
};

/** Says that a transition usually follows. */
const ThenWords = ({ entity }: { entity: EntityJson }) => {
  const { say, show } = useWords();
  const first = findInitialState(entity);
  const onward = nextActionsAfterCreate(entity);
  if (first === null || onward.length === 0) return null;
  const transitions = show.list(
    onward.map(({ label }) => say("quoted", { words: label })),
    "disjunction",
  );
  return <span className="form-then">{say("form.then", { state: first.label, transitions })}</span>;
};
