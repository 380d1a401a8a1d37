import { type FormEvent, useId, useState } from "react";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { type MailedLink, useMailedLinks } from "./account-status.ts";
import { MOST_INVITED, type PastedPerson, readPastedAddresses } from "./pasted-addresses.ts";
import { Roles } from "./roles.tsx";
import { SecretLine } from "./secret-dialog.tsx";

/** The outcome for one address: the link, or the reason of a refusal. */
type Result = PastedPerson &
  ({ readonly id: string; readonly link: string; readonly mailed: boolean } | { readonly refused: string });

/** Invites the people of a pasted list, one after the other, with a result for each. */
export const InviteSeveralDialog = ({ roles, onClose }: { roles: readonly string[]; onClose: () => void }) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const box = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [results, setResults] = useState<readonly Result[] | null>(null);
  const [busy, setBusy] = useState(false);
  const { people, unread } = readPastedAddresses(text);
  const isTooMany = people.length > MOST_INVITED;
  // Asked once all are invited, because the request names all of them.
  const invited = busy ? [] : (results ?? []).flatMap((one) => ("link" in one && one.mailed ? [one.id] : []));
  const findMail = useMailedLinks(invited);

  const inviteOne = async ({ name, email }: PastedPerson): Promise<Result> => {
    try {
      const { id, link, mailed } = await calls.invite({ name, email, more: {}, roles: [...chosen] });
      return { name, email, id, link: new URL(link, location.origin).href, mailed: mailed !== undefined };
    } catch (thrown) {
      const failure = toFailure(thrown);
      const problem = failure.kind === "refused" ? failure.problem : null;
      return { name, email, refused: problem?.errors?.[0]?.message ?? problem?.detail ?? say("unreachable.act.short") };
    }
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || people.length === 0 || isTooMany) return;
    setBusy(true);
    const done: Result[] = [];
    for (const person of people) {
      done.push(await inviteOne(person));
      setResults([...done]);
    }
    setBusy(false);
    await reload(queries, { queryKey: keys.people });
  };

  if (results !== null)
    return (
      // A dialog of its own, so that the focus begins there: the button that was pressed is gone.
      <Dialog key="results" title={say("several.results")} onClose={onClose}>
        <div className="dialog-form">
          <p role="status" className="help-words">
            {busy
              ? say("several.progress", { done: results.length, all: people.length })
              : say("several.done", { count: results.filter((result) => "link" in result).length, all: people.length })}
          </p>
          <Unread parts={unread} />
          <ul className="sessions invited">
            {results.map((result) => (
              <InvitedRow key={result.email} result={result} mail={"link" in result ? findMail(result.id) : null} />
            ))}
          </ul>
          <footer className="dialog-foot">
            <Button look="primary" busy={busy} onClick={() => busy || onClose()}>
              {say("several.close")}
            </Button>
            {unread.length > 0 && !busy && (
              <Button
                look="quiet"
                onClick={() => {
                  setText(unread.join("\n"));
                  setResults(null);
                }}
              >
                {say("several.correct")}
              </Button>
            )}
          </footer>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={say("several.title")} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={(event) => void submit(event)}>
        <p className="help-words">{say("several.words")}</p>
        <div className="front-field">
          <label htmlFor={box}>{say("several.addresses")}</label>
          <textarea
            className="box"
            id={box}
            rows={6}
            value={text}
            placeholder={"Ada Lovelace <ada@example.com>\nben@example.com"}
            aria-describedby={`${box}-found`}
            onChange={(event) => setText(event.target.value)}
          />
          <p id={`${box}-found`} className="small-words" role="status">
            {isTooMany ? say("several.most", { count: MOST_INVITED }) : say("several.found", { count: people.length })}
          </p>
          <Unread parts={unread} />
        </div>
        <Roles
          roles={roles}
          chosen={chosen}
          help={say("several.roles")}
          onChange={(role, holds) => {
            const next = new Set(chosen);
            if (holds) next.add(role);
            else next.delete(role);
            setChosen(next);
          }}
        />
        <footer className="dialog-foot">
          <Button type="submit" look="primary" busy={busy} disabled={people.length === 0 || isTooMany}>
            {say("several.do", { count: people.length })}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {say("several.cancel")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};

/** Maximum number of parts that are named. */
const MOST_NAMED = 20;

/** The parts of the list that are no address, and get no invitation. */
const Unread = ({ parts }: { parts: readonly string[] }) => {
  const { say } = useWords();
  const named = parts.length > MOST_NAMED ? [...parts.slice(0, MOST_NAMED), "…"] : parts;
  return parts.length === 0 ? null : (
    <p className="mend">
      <Icon name="alert" /> {say("several.unread", { parts: named.join(" · ") })}
    </p>
  );
};

const states = {
  waiting: "several.mailed",
  sent: "several.sent",
  accepted: "several.accepted",
  failed: "several.failed",
} as const;

const InvitedRow = ({ result, mail }: { result: Result; mail: MailedLink | null }) => {
  const { say } = useWords();
  const isInvited = "link" in result;
  const mailed = isInvited && result.mailed ? mail : null;
  const isFailed = mailed?.state === "failed";
  const isSentByHand = isInvited && (mailed === null || isFailed);
  const words = !isInvited
    ? result.refused
    : mailed === null
      ? say("several.link")
      : say(states[mailed.state], { reason: mailed.state === "failed" ? mailed.reason : "" });
  return (
    <li>
      <Icon name={isInvited && !isFailed ? "check" : "alert"} size={18} />
      <div className="grow">
        <p>
          <bdi>{result.name}</bdi> <span className="none">{result.email}</span>
        </p>
        <p className="small-words" role={mailed === null ? undefined : "status"}>
          {words}
        </p>
        {isSentByHand && <SecretLine small label={say("link.title", { name: result.name })} secret={result.link} />}
      </div>
    </li>
  );
};
