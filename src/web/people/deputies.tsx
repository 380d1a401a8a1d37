import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useAddress, useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { FormDialog } from "../form/form-dialog.tsx";
import { useOneShotForm } from "../form/use-one-shot-form.tsx";
import { isReference } from "../format/input-value.ts";
import { useWords } from "../i18n/words.tsx";
import { NAME_DEPUTY } from "../routing/platform-pages.ts";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";

/** The entity whose records say who stands in for whom. */
const DEPUTY = "Deputy";

const MOST = 50;

/** The deputies of a person, and those for whom the person stands in, from today on. `own`: it is the user. */
export const DeputyList = ({ person, own }: { person: string; own: boolean }) => {
  const { deputies, entities } = useApplication();
  const entity = entities[DEPUTY];
  return deputies === undefined || entity === undefined ? null : (
    <DeputiesOf entity={entity} roles={deputies} person={person} own={own} />
  );
};

interface DeputiesOfProps {
  readonly entity: EntityJson;
  /** The titles of the roles that the user hands over. */
  readonly roles: readonly string[];
  readonly person: string;
  readonly own: boolean;
}

const DeputiesOf = ({ entity, roles, person, own }: DeputiesOfProps) => {
  const { calls, queries, navigation } = useClient();
  const { say, show } = useWords();
  const { today } = useLocale();
  const toast = useToast();
  const { path, search } = useAddress();
  const [naming, setNaming] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const canName = own && roles.length > 0 && entity.create !== null;
  const isAsked = canName && search === NAME_DEPUTY;
  const parameters = (side: "person" | "deputy") =>
    new URLSearchParams({
      [side]: person,
      "last_day>": today,
      sort: "first_day",
      limit: String(MOST),
      may: "true",
    });
  const query = useQuery({
    queryKey: [...keys.of(entity.calls), "of", person],
    queryFn: async ({ signal }) => {
      const [away, standing] = await Promise.all(
        (["person", "deputy"] as const).map((side) => calls.list(entity.calls, parameters(side), signal)),
      );
      return [...(away?.items ?? []), ...(standing?.items ?? [])];
    },
  });
  const end = useMutation({
    mutationFn: (record: RecordJson) => calls.remove(entity.calls, record.id, record.version),
    onSuccess: () => toast(say("deputies.ended")),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.of(entity.calls) }),
  });
  const records = query.data ?? [];
  // Somebody without a role to hand over needs the section only as a deputy of others.
  if (own && roles.length === 0 && records.length === 0) return null;
  return (
    <section aria-labelledby="deputies" className="people-part">
      <h2 id="deputies">{say("deputies.title")}</h2>
      {own && roles.length > 0 && <p className="small-words">{say("deputies.words", { roles: show.list(roles) })}</p>}
      <FailureNote title={say("deputies.failed")} error={end.error} />
      {query.error && !query.data ? (
        <FailedRegion failure={toFailure(query.error)} retry={() => void query.refetch()} />
      ) : records.length === 0 ? (
        !query.isPending && <p className="none">{say("deputies.none")}</p>
      ) : (
        <ul className="sessions">
          {records.map((record) => (
            <Row
              key={record.id}
              record={record}
              person={own ? person : null}
              onEnd={() => end.isPending || end.mutate(record)}
            />
          ))}
        </ul>
      )}
      {canName && (
        <Button ref={opener} small onClick={() => setNaming(true)}>
          {say("deputies.name")}
        </Button>
      )}
      {(naming || isAsked) && (
        <NameDeputy
          entity={entity}
          person={person}
          onClose={() => {
            setNaming(false);
            if (!isAsked) return;
            navigation.go(path, "replace");
            // No control of this page opened the dialog, so the focus has nowhere to return.
            setTimeout(() => opener.current?.focus());
          }}
        />
      )}
    </section>
  );
};

interface RowProps {
  readonly record: RecordJson;
  /** The user, on their own account page. */
  readonly person: string | null;
  readonly onEnd: () => void;
}

const Row = ({ record, person, onEnd }: RowProps) => {
  const { say, show } = useWords();
  const { today } = useLocale();
  const [away, deputy] = [record.person, record.deputy].map((item) => (isReference(item) ? item : null));
  const [first, last] = [String(record.first_day), String(record.last_day)];
  const names = { deputy: deputy?.label ?? "…", person: away?.label ?? "…" };
  const sentence =
    person !== null && away?.id === person
      ? say("deputies.for.you", names)
      : person !== null && deputy?.id === person
        ? say("deputies.you", names)
        : say("deputies.for", names);
  return (
    <li>
      <div className="grow">
        <p>
          {sentence}
          {first <= today && <span className="sessions-here">{say("deputies.now")}</span>}
        </p>
        <p className="small-words">{show.days(first, last)}</p>
      </div>
      {record.may?.delete === true && (
        <Button small aria-label={say("deputies.end", { sentence })} onClick={onEnd}>
          {say("sessions.end.short")}
        </Button>
      )}
    </li>
  );
};

/** The dialog in which people name their deputy. Nobody can be their own. */
const NameDeputy = ({ entity, person, onClose }: { entity: EntityJson; person: string; onClose: () => void }) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const close = useWhileMounted(onClose);
  const fields = entity.fields.filter(({ name }) => entity.create?.includes(name) === true);
  const form = useOneShotForm("make", fields, null, { entity, transition: null }, async (body, key) => {
    await calls.create(entity.calls, body, key);
    toast(say("deputies.named"));
    await queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
    close();
  });
  return (
    <FormDialog
      oneShot={form}
      title={say("deputies.name")}
      act={say("deputies.name.do")}
      refused={say("deputies.not.named")}
      of={{ record: null, excluded: { deputy: [person] } }}
      onClose={onClose}
    />
  );
};
