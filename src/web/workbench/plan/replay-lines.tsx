import { MOST_ACTS, MOST_RECORDS, REPLAY_DAYS } from "../../../core/change/replay/bounds.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import type {
  ReplayCountJson,
  ReplayExampleJson,
  ReplayGapJson,
  ReplayJson,
} from "../../../core/wire/authoring/replay.ts";
import { toFailure } from "../../api/api-error.ts";
import { useApplication } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { ClauseId } from "../../ui/clause.tsx";
import { Link } from "../../ui/link.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RetryNote } from "./retry-note.tsx";
import { useErrorUntilAnswer } from "./use-error-until-answer.ts";
import type { useReplay } from "./use-replay.ts";

/** Examples of a clause that are shown at once. */
const FIRST_EXAMPLES = 5;

interface ReplayProps {
  readonly replayed: Pick<ReturnType<typeof useReplay>, "data" | "error" | "isFetching" | "refetch">;
  /** Called when a link to a record is followed. */
  readonly onFollow?: (() => void) | undefined;
}

/** Shows which acts of the last days a draft would have refused. The server takes some seconds to say. */
export const ReplayLines = ({ replayed: { data, error, isFetching, refetch }, onFollow }: ReplayProps) => {
  const { say } = useWords();
  const thrown = useErrorUntilAnswer(error, isFetching);
  if (thrown)
    return (
      <RetryNote
        title={say("replay.failed")}
        failure={toFailure(thrown)}
        isBusy={isFetching}
        retry={() => void refetch()}
      />
    );
  if (data === undefined) return <p aria-busy="true">{say("replay.running", { days: REPLAY_DAYS })}</p>;
  return <Replayed replay={data} onFollow={onFollow} />;
};

const total = (counts: readonly ReplayCountJson[]): number => counts.reduce((sum, { acts }) => sum + acts, 0);

const Replayed = ({
  replay: { days, cut, kinds, acts, refused, refusals, allowed, effects, left },
  onFollow,
}: {
  readonly replay: ReplayJson;
  /** Called when a link to a record is followed. */
  readonly onFollow?: (() => void) | undefined;
}) => {
  const { say, rich } = useWords();
  const [isRefused, isAllowed, isChanged] = [total(refused), total(allowed), total(effects)];
  return (
    <div className="replay">
      <p>{acts === 0 ? say("replay.nothing", { days }) : say("replay.refused", { acts, days, refused: isRefused })}</p>
      <Counts counts={refused} onFollow={onFollow} />
      {isAllowed > 0 && <p>{say("replay.allowed", { refusals, allowed: isAllowed })}</p>}
      <Counts counts={allowed} onFollow={onFollow} />
      {isChanged > 0 && <p>{say("replay.effects", { effects: isChanged })}</p>}
      <Counts counts={effects} onFollow={onFollow} />
      {cut !== null && (
        <p>
          {cut.by === "acts"
            ? rich("replay.cut.acts", { acts: MOST_ACTS, at: <RelativeTime at={cut.at} /> })
            : rich("replay.cut.time", { seconds: cut.seconds, at: <RelativeTime at={cut.at} /> })}
        </p>
      )}
      {kinds.length > 0 && <Kinds kinds={kinds} />}
      {left.length > 0 && (
        <details>
          <summary>{say("replay.left")}</summary>
          <ul>
            {left.map(({ why, clause, reads, acts: some }) => (
              <li key={`${why} ${clause} ${reads}`}>
                {rich(reasons[why], { acts: some, most: MOST_RECORDS, name: <code>{reads}</code> })}{" "}
                {clause !== null && <ClauseId of={clause} />}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
};

/** The kinds of changes that were checked in part. */
const Kinds = ({ kinds }: { readonly kinds: ReplayJson["kinds"] }) => {
  const { say } = useWords();
  return (
    <details>
      <summary>{say("replay.cut.kinds")}</summary>
      <ul>
        {kinds.map(({ entity, action, judged, changes }) => (
          <li key={`${entity} ${action}`}>
            {say("replay.cut.kind", { judged, changes })} <ActWords entity={entity} action={action} address={null} />
          </li>
        ))}
      </ul>
    </details>
  );
};

const reasons: { readonly [W in ReplayGapJson["why"]]: WordId } = {
  "refused before": "replay.left.refused",
  "many records": "replay.left.many",
  "changed type": "replay.left.type",
  "no history": "replay.left.history",
  person: "replay.left.person",
  record: "replay.left.record",
  "no entity": "replay.left.entity",
  "other values": "replay.left.values",
  "other records": "replay.left.records",
  content: "replay.left.content",
};

const Counts = ({ counts, onFollow }: { counts: readonly ReplayCountJson[]; onFollow: (() => void) | undefined }) =>
  counts.length === 0 ? null : (
    <ul>
      {counts.map((count) => (
        <Count key={`${count.clause} ${count.code}`} count={count} onFollow={onFollow} />
      ))}
    </ul>
  );

const Count = ({
  count: { clause, code, message, acts, examples },
  onFollow,
}: {
  count: ReplayCountJson;
  onFollow: (() => void) | undefined;
}) => {
  const { say } = useWords();
  const isNamed = clause.endsWith(code) || code === "EFFECT" || code === "TIMER";
  const reason = refusals[code];
  return (
    <li>
      <p>
        {say("replay.acts", { acts })} {message !== null && <q>{message}</q>}
        {message === null && reason !== undefined && say(reason)} <ClauseId of={clause} />{" "}
        {!isNamed && reason === undefined && <ClauseId of={code} />}
      </p>
      <Examples examples={examples} acts={acts} onFollow={onFollow} />
    </li>
  );
};

/** The built-in refusals that most changes of a specification cause. Others are named by their code. */
const refusals: { readonly [code: string]: WordId } = {
  FORBIDDEN: "replay.by.forbidden",
  NO_SUCH_CALL: "replay.by.removed",
  REQUIRED: "replay.by.required",
  WRONG_STATE: "replay.by.state",
};

/** The newest acts behind a number, as far as the reader can see their records; the others on request. */
const Examples = ({
  examples,
  acts,
  onFollow,
}: Pick<ReplayCountJson, "examples" | "acts"> & { readonly onFollow: (() => void) | undefined }) => {
  const { say } = useWords();
  const [first, others] = [examples.slice(0, FIRST_EXAMPLES), examples.slice(FIRST_EXAMPLES)];
  if (first.length === 0)
    return (
      <p className="plan-hidden">
        {say("plan.misfits.hidden", { count: acts })}{" "}
        <Link className="link" href="/workbench/who" {...(onFollow && { onClick: onFollow })}>
          {say("plan.misfits.permissions")}
        </Link>
      </p>
    );
  const list = (shown: typeof examples) => (
    <ul className="replay-examples" aria-label={say("replay.examples")}>
      {shown.map((example) => (
        <li key={`${example.at} ${example.record} ${example.action}`}>
          <Example example={example} onFollow={onFollow} />
        </li>
      ))}
    </ul>
  );
  const more = say("plan.misfits.more", { count: acts - first.length });
  return (
    <>
      {list(first)}
      {others.length > 0 ? (
        <details>
          <summary>{more}</summary>
          {list(others)}
          {acts > examples.length && <p>{say("plan.misfits.more", { count: acts - examples.length })}</p>}
        </details>
      ) : (
        acts > first.length && <p className="replay-examples">{more}</p>
      )}
    </>
  );
};

/** An act as a sentence, with its clause: "Submit: leave request". */
const ActWords = ({
  entity,
  action,
  address,
  onFollow,
}: {
  readonly entity: string;
  readonly action: string;
  /** The address of the record; null if it has none. */
  readonly address: string | null;
  readonly onFollow?: (() => void) | undefined;
}) => {
  const { entities } = useApplication();
  const { rich } = useWords();
  const name = entities[entity]?.one ?? entity;
  const thing =
    address === null ? (
      name
    ) : (
      <Link href={address} {...(onFollow && { onClick: onFollow })}>
        {name}
      </Link>
    );
  const write = isWrite(action) ? writes[action] : undefined;
  const transition = entities[entity]?.states?.transitions.find(({ name }) => name === action)?.label ?? action;
  return (
    <>
      {write === undefined ? rich("replay.did.transition", { transition, thing }) : rich(write, { thing })}{" "}
      <ClauseId of={`${write === undefined ? 4 : 6}.${entity}.${action}`} />
    </>
  );
};

const writes = {
  create: "replay.did.create",
  update: "replay.did.update",
  delete: "replay.did.delete",
} as const satisfies { readonly [action: string]: WordId };

const isWrite = (action: string): action is keyof typeof writes => action in writes;

const Example = ({
  example: { at, entity, record, action, isGone },
  onFollow,
}: {
  example: ReplayExampleJson;
  onFollow: (() => void) | undefined;
}) => {
  const { say } = useWords();
  const { screens } = useApplication();
  const address = record === null || isGone ? null : recordAddress(screens, entity, record);
  return (
    <>
      <ActWords entity={entity} action={action} address={address} onFollow={onFollow} /> <RelativeTime at={at} />
      {isGone && ` ${say("replay.gone")}`}
    </>
  );
};
