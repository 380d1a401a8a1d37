import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient, usePerson } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { CheckBox } from "../ui/control/check-box.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";

interface SaveViewProps {
  readonly screen: ListScreenJson;
  readonly query: string;
  readonly onClose: () => void;
}

/** Asks for the name of a view, and saves it. */
const SaveViewDialog = ({ screen, query, onClose }: SaveViewProps) => {
  const { calls, queries } = useClient();
  const person = usePerson();
  const { say } = useWords();
  const toast = useToast();
  const id = useId();
  const [title, setTitle] = useState("");
  const [shared, setShared] = useState(false);
  const close = useWhileMounted(onClose);
  const save = useMutation({
    mutationFn: () => calls.saveView({ screen: screen.path, title: title.trim(), query, shared }),
    onSuccess: async () => {
      await reload(queries, { queryKey: keys.views(person?.id ?? "") });
      toast(say("form.saved"));
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() !== "") save.mutate();
  };
  return (
    <Dialog title={say("views.save")} onClose={onClose}>
      <form className="dialog-form" onSubmit={submit}>
        {save.error && <ProblemNote title={say("form.not.saved")} failure={toFailure(save.error)} />}
        <div className="form-field view-name">
          <label htmlFor={id}>{say("views.name")}</label>
          <div className="box">
            <input
              id={id}
              type="text"
              maxLength={80}
              required
              autoComplete="off"
              value={title}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
          </div>
        </div>
        <CheckBox checked={shared} onTurn={setShared}>
          {say("views.share")}
        </CheckBox>
        <footer className="dialog-foot">
          <Button type="submit" look="primary" busy={save.isPending}>
            {say("form.save")}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {say("form.cancel")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};

export default SaveViewDialog;
