import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { LinkJson } from "../../core/wire/accounts/people.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { LinkDialog } from "./link-dialog.tsx";

/** Pending registrations: create a new link for them, or decline them. */
export const Registrations = () => {
  const { calls, queries } = useClient();
  const { signIn } = useApplication();
  const { say, show } = useWords();
  const [link, setLink] = useState<{ readonly email: string; readonly link: LinkJson } | null>(null);
  const query = useQuery({
    queryKey: keys.registrations,
    queryFn: ({ signal }) => calls.registrations(signal),
    enabled: signIn.signUp.open,
  });
  const refresh = () => queries.invalidateQueries({ queryKey: keys.registrations });
  const make = useMutation({
    mutationFn: async ({ id, email }: { id: string; email: string }) => ({
      email,
      link: await calls.registrationLink(id),
    }),
    retry: false,
    onSuccess: setLink,
    onSettled: refresh,
  });
  const decline = useMutation({ mutationFn: (id: string) => calls.declineRegistration(id), onSettled: refresh });
  const items = query.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="people-part registrations" aria-labelledby="registrations">
      <h2 id="registrations">{say("registrations.title")}</h2>
      <FailureNote title={say("person.failed")} error={make.error ?? decline.error} />
      <ul className="sessions">
        {items.map(({ id, email, until }) => (
          <li key={id}>
            <div className="grow">
              <p>{email}</p>
              <p className="small-words">{say("registrations.until", { until: show.moment(until) })}</p>
            </div>
            <Button
              small
              icon="link"
              busy={make.isPending && make.variables.id === id}
              aria-label={say("registrations.link", { email })}
              onClick={() => make.isPending || make.mutate({ id, email })}
            >
              {say("registrations.link.short")}
            </Button>
            <Button
              small
              aria-label={say("registrations.away", { email })}
              onClick={() => decline.isPending || decline.mutate(id)}
            >
              {say("registrations.away.short")}
            </Button>
          </li>
        ))}
      </ul>
      {link && <LinkDialog name={link.email} link={link.link} onClose={() => setLink(null)} />}
    </section>
  );
};
