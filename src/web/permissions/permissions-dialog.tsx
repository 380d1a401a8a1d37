import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { WordId } from "../../core/i18n/catalogue.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";
import type { PermissionJson, WhyJson } from "../../core/wire/why.ts";
import { toLastFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, usePerson } from "../app/app-context.tsx";
import type { PermissionQuestion } from "../app/app-state.ts";
import { candidateQuery, findCandidates } from "../field/control/reference-candidates.ts";
import { useWords } from "../i18n/words.tsx";
import { recordAddress } from "../routing/routes.ts";
import { Button } from "../ui/control/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { AskForDecision } from "../ui/page/ask-for-decision.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { ExplainSteps } from "./explain-steps.tsx";

/** All permissions here, each with its explanation; and why something is not visible. */
const PermissionsDialog = ({ question, onClose }: { question: PermissionQuestion; onClose: () => void }) => {
  const { say } = useWords();
  const entity = useApplication().entities[question.entity];
  const administrator = usePerson()?.administrator === true;
  const [as, setAs] = useState("");
  if (!entity) return null;
  const things = question.record === null ? entity.many : entity.one;
  const isSought = question.field === "" && question.what === "read";
  const title = say(isSought ? "may.title.unseen" : question.record === null ? "may.title" : "may.title.record", {
    things,
  });
  return (
    <Dialog title={title} onClose={onClose} className="may-dialog" read>
      <div className="may-body">
        {administrator && <PersonChoice as={as} onChoose={setAs} />}
        {question.field === undefined ? (
          <Permissions entity={entity} question={question} as={as} />
        ) : (
          <OneField question={question} field={question.field} as={as} />
        )}
        {as === "" && question.field === undefined && (
          <Unseen entity={entity} record={question.record} onClose={onClose} />
        )}
      </div>
    </Dialog>
  );
};

export default PermissionsDialog;

/** Administrators can ask for somebody else, which is recorded in the audit. */
const PersonChoice = ({ as, onChoose }: { as: string; onChoose: (id: string) => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const own = usePerson()?.id;
  const id = useId();
  const { data } = useQuery({
    queryKey: keys.peopleOffered,
    queryFn: ({ signal }) => calls.people({}, null, signal),
    staleTime: 60_000,
  });
  return (
    <p className="may-as">
      <label htmlFor={id}>{say("may.as")}</label>
      <span className="box select">
        <select id={id} value={as} onChange={(event) => onChoose(event.currentTarget.value)}>
          <option value="">{say("may.as.own")}</option>
          {data?.items
            .filter((person) => person.id !== own)
            .map((person) => (
              <option key={person.id} value={person.id}>
                {person.name}
              </option>
            ))}
        </select>
        <Icon name="down" />
      </span>
    </p>
  );
};

const doings: { readonly [action: string]: WordId } = {
  read: "may.read",
  create: "may.create",
  update: "may.update",
  delete: "may.delete",
};

const Permissions = ({ entity, question, as }: { entity: EntityJson; question: PermissionQuestion; as: string }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const record = question.record ?? "";
  const query = useQuery({
    queryKey: keys.permissions(entity.name, record, as),
    queryFn: ({ signal }) => calls.permissions({ of: entity.name, record, as }, signal),
    staleTime: 0,
    retry: false,
  });
  const getTitle = ({ do: what, transition }: PermissionJson) => {
    const words = doings[what.slice(what.indexOf(".") + 1)];
    return transition ?? (words === undefined ? what : say(words));
  };
  if (query.error) return <FailedRegion failure={toLastFailure(query.error)} retry={() => void query.refetch()} />;
  return (
    <ul className="may-list" aria-busy={query.isPending}>
      {query.data?.items
        // Creation is explained on the list, not on a record.
        .filter((item) => record === "" || item.do !== `${entity.name}.create`)
        .map((item) => (
          <li key={item.do}>
            <Permission
              item={item}
              title={getTitle(item)}
              record={record}
              first={item.do === `${entity.name}.${question.what}`}
            />
          </li>
        ))}
    </ul>
  );
};

const marks: { readonly [answer in WhyJson["answer"]]: { readonly icon: IconName; readonly words: WordId } } = {
  yes: { icon: "check", words: "may.yes" },
  no: { icon: "close", words: "may.no" },
  depends: { icon: "more", words: "may.depends" },
  unseen: { icon: "hide", words: "why.unknown" },
};

/** One action: whether it is possible, with its steps. */
const Permission = ({
  item,
  title,
  record,
  first,
}: {
  item: PermissionJson;
  title: string;
  record: string;
  first: boolean;
}) => {
  const { say } = useWords();
  const line = useRef<HTMLElement & HTMLDivElement>(null);
  useEffect(() => {
    if (first) line.current?.focus();
  }, [first]);
  const mark = marks[item.answer];
  const answer = (
    <>
      <span className="may-mark" role="img" aria-label={say(mark.words)}>
        <Icon name={mark.icon} />
      </span>
      <span className="may-words">
        <span>{title}</span>
        {item.answer !== "yes" && <span className="may-because">{item.because}</span>}
      </span>
    </>
  );
  const hasSteps = item.ways.length > 0 || item.musts.length > 0 || item.undecided;
  if (!hasSteps)
    return (
      <div className={`may-one ${item.answer}`}>
        <div ref={line} className="may-line" tabIndex={first ? -1 : undefined}>
          {answer}
        </div>
      </div>
    );
  return (
    <details className={`may-one ${item.answer}`} open={first}>
      <summary ref={line} className="may-line">
        {answer}
        <Icon name="down" />
      </summary>
      <ExplainSteps why={item} />
      {item.undecided && <AskForDecision question={{ do: item.do, record }} />}
    </details>
  );
};

const OneField = ({
  question: permissionQuestion,
  field,
  as,
}: {
  question: PermissionQuestion;
  field: string;
  as: string;
}) => {
  const { calls } = useClient();
  const question = {
    do: `${permissionQuestion.entity}.${permissionQuestion.what ?? "read"}`,
    record: permissionQuestion.record ?? "",
    field,
    as,
  };
  const query = useQuery({
    queryKey: keys.why(question.do, question.record, field, as),
    queryFn: ({ signal }) => calls.why(question, signal),
    staleTime: 0,
    retry: false,
  });
  if (query.error) return <FailedRegion failure={toLastFailure(query.error)} retry={() => void query.refetch()} />;
  return query.data ? <Answer why={query.data} /> : null;
};

const Answer = ({ why }: { why: WhyJson }) => (
  <div className="may-answer">
    <p>{why.because}</p>
    <ExplainSteps why={why} />
  </div>
);

const anId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iu;

/** Explains why a record, given by number, name or address, or a field is not visible. */
const Unseen = ({ entity, record, onClose }: { entity: EntityJson; record: string | null; onClose: () => void }) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [sought, setSought] = useState("");
  const query = useQuery({
    queryKey: ["unseen", entity.name, record, sought],
    queryFn: async ({ signal }): Promise<{ found: readonly ReferenceJson[]; why: WhyJson | null }> => {
      const ask = (of: string, field: string) =>
        calls.why({ do: `${entity.name}.read`, record: of, field, as: "" }, signal);
      const address = anId.exec(sought)?.[0];
      if (address !== undefined) return { found: [], why: await ask(address, "") };
      const isField = entity.fields.some(({ name, label }) => [name, label].some((item) => same(item, sought)));
      if (isField || record !== null) return { found: [], why: await ask(record ?? "", sought) };
      const { items } = await calls.list(entity.calls, candidateQuery(screens, sought), signal);
      const found = findCandidates(items, sought, entity).slice(0, 5);
      return { found, why: found.length > 0 ? null : await ask(sought, "") };
    },
    enabled: sought !== "",
    retry: false,
    staleTime: 0,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSought(typed.trim());
  };
  return (
    <form className="may-unseen" onSubmit={submit}>
      <label htmlFor={id}>{say(record === null ? "may.unseen" : "may.unseen.field")}</label>
      <span className="may-line">
        <span className="box">
          <input
            id={id}
            type="text"
            autoComplete="off"
            placeholder={say(record === null ? "may.unseen.example" : "may.unseen.field.example")}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </span>
        <Button type="submit" busy={query.isFetching}>
          {say("may.ask")}
        </Button>
      </span>
      <div role="status">
        {query.data?.found.map((reference) => {
          const to = recordAddress(screens, entity.name, reference.id);
          return (
            <p key={reference.id}>
              {say("may.seen")}{" "}
              {to === null ? (
                reference.label
              ) : (
                <Link href={to} onClick={onClose}>
                  {reference.label}
                </Link>
              )}
            </p>
          );
        })}
        {query.data?.why && <Answer why={query.data.why} />}
        {query.error && <p>{say("broken.title")}</p>}
      </div>
    </form>
  );
};

const same = (one: string, other: string): boolean => one.toLocaleLowerCase() === other.trim().toLocaleLowerCase();
