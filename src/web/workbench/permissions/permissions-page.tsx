import { Fragment, useMemo, useState } from "react";
import type { PermissionRule } from "../../../core/derive/authorization/grants.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Action } from "../../../core/model/permissions.ts";
import type { Span } from "../../../core/source-text.ts";
import { usePhone, useStore } from "../../app/app-context.tsx";
import { scaleLength } from "../../app/font-scale.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { DraftProvider } from "../draft/draft-provider.tsx";
import type { DraftSession } from "../draft/draft-session.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { OpenMark } from "../marks.tsx";
import { joinLimits, PermissionSentences } from "./permission-sentences.tsx";

type Compiler = typeof import("../draft/compiler.ts");

/** Permissions by role, according to the current draft. */
const PermissionsPage = () => {
  const { say } = useWords();
  return (
    <DraftProvider title={say("menu.workbench.who")}>
      {(drafting, compiler) => <Tables drafting={drafting} compiler={compiler} />}
    </DraftProvider>
  );
};

export default PermissionsPage;

const Tables = ({ drafting, compiler }: { drafting: DraftSession; compiler: Compiler }) => {
  const { say } = useWords();
  const { files, changed } = useStore(drafting.store);
  const compiled = useMemo(() => compiler.createCompiler()(files), [compiler, files]);
  const { model, sources } = compiled;
  const { locale } = useWords();
  // Tables of many roles do not fit on a phone; sentences do.
  const [inSentences, setInSentences] = useState(usePhone());
  const phrase = useMemo(
    () =>
      model &&
      compiler.phraser({
        model,
        locale,
        source: ({ file, start, end }: Span) =>
          sources.find((source) => source.file === file)?.text.slice(start, end) ?? "",
      }),
    [compiler, model, locale, sources],
  );
  const served = [...(model?.entities.values() ?? [])].filter((entity) => entity.served);
  return (
    <WorkbenchFrame count={compiled.open.length}>
      <div className="workbench-page">
        <h1>{say("menu.workbench.who")}</h1>
        {changed && <p className="small-words">{say("workbench.of.draft")}</p>}
        {/* biome-ignore lint/a11y/useSemanticElements: two ways to read the same, not a field */}
        <div className="who-which" role="group" aria-label={say("who.which")}>
          {([false, true] as const).map((sentences) => (
            <Button
              key={String(sentences)}
              small
              aria-pressed={inSentences === sentences}
              onClick={() => setInSentences(sentences)}
            >
              {say(sentences ? "who.sentences" : "who.tables")}
            </Button>
          ))}
        </div>
        {served.length > 0 && !inSentences && (
          <ul className="who-legend">
            <li>
              <span className="may always" /> {say("who.always")}
            </li>
            <li>
              <span className="may sometimes" /> {say("who.sometimes")}
            </li>
            <li>
              <span className="may never" /> {say("who.never")}
            </li>
            <li>
              <OpenMark /> {say("workbench.not.shown")}
            </li>
          </ul>
        )}
        {model === undefined || phrase === undefined ? (
          <p>{say("workbench.broken")}</p>
        ) : served.length === 0 ? (
          <p className="small-words">{say("who.none")}</p>
        ) : inSentences ? (
          <PermissionSentences model={model} entities={served} compiler={compiler} phrase={phrase} />
        ) : (
          served.map((entity) => (
            <EntityTable key={entity.name} model={model} entity={entity} compiler={compiler} phrase={phrase} />
          ))
        )}
      </div>
    </WorkbenchFrame>
  );
};

const MOST_NAMED = 8;

/** One way in which a role has a permission: always, or under a condition. */
interface GrantRow {
  readonly clause: string;
  readonly words: readonly string[];
}

const doings: readonly { readonly action: Action; readonly words: WordId }[] = [
  { action: "read", words: "who.read" },
  { action: "create", words: "who.create" },
  { action: "update", words: "who.update" },
  { action: "delete", words: "who.delete" },
];

const EntityTable = ({
  model,
  entity,
  compiler,
  phrase,
}: {
  model: Model;
  entity: Entity;
  compiler: Compiler;
  phrase: (condition: Expr) => string;
}) => {
  const { say } = useWords();
  const roles = useMemo(
    () => [
      ...[...model.roles.values()].map((role) => ({ ...role, isRecordRole: false, members: role.members as string })),
      ...[...entity.roles.values()].map((role) => ({ ...role, isRecordRole: true, members: "" })),
    ],
    [model, entity],
  );
  /** People with a granted or record role are signed in, and have the permissions of everybody. */
  const everybody = [...model.roles.values()].filter(({ members }) => members === "anyone" || members === "signed in");
  const titleOfField = (name: string) => entity.fields.get(name)?.title ?? name;
  // A few fields are listed in the cell; sentences list all.
  const describeFields = ({ fields }: PermissionRule) =>
    fields === null
      ? []
      : fields.size > MOST_NAMED
        ? [say("who.fields.many", { count: fields.size })]
        : [say("who.fields", { count: fields.size, names: [...fields].map(titleOfField).join(", ") })];
  /** The conditions of a role's permission beyond holding the role. */
  const listGrants = (
    allowances: readonly PermissionRule[],
    role: string,
    always: readonly string[] = [],
  ): readonly GrantRow[] =>
    allowances
      .filter((allowance) => allowance.role === role)
      .map((allowance) => ({
        clause: allowance.clause,
        words: [...always, ...(allowance.when === null ? [] : [phrase(allowance.when)]), ...describeFields(allowance)],
      }));
  const asEverybody = (
    role: { readonly isRecordRole: boolean; readonly members: string },
    all: readonly PermissionRule[],
  ) =>
    role.isRecordRole || role.members === "granted" || role.members === "deputies"
      ? everybody.filter(({ name }) => all.some((rule) => rule.role === name)).map(({ title }) => title)
      : [];
  const transitions = [...(entity.states?.transitions.values() ?? [])];
  const getStateTitle = (name: string) => entity.states?.states.find((state) => state.name === name)?.title ?? name;
  const silent = entity.permissions === null;
  return (
    <div className="who-entity">
      <h2>{entity.name}</h2>
      {silent && (
        <p className="in-force">
          <OpenMark /> {say("who.silent")} <ClauseId of="ADMINISTRATORS_ONLY" />
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by the keyboard */}
      <section className="who-scroll" tabIndex={0} aria-label={entity.name}>
        <table className="may-table" style={{ minInlineSize: scaleLength(140 + 160 * roles.length) }}>
          <thead>
            <tr>
              <td />
              {roles.map((role) => (
                <RoleHead key={`${role.isRecordRole} ${role.name}`} role={role} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Group words={say("who.record")} across={roles.length + 1} />
            {doings.map(({ action, words }) => (
              <tr key={action}>
                <th scope="row">{say(words)}</th>
                {roles.map((role) => (
                  <Cell
                    key={`${role.isRecordRole} ${role.name}`}
                    grants={listGrants(compiler.permissionRulesFor(entity, action), role.name)}
                    as={asEverybody(role, compiler.permissionRulesFor(entity, action))}
                  />
                ))}
              </tr>
            ))}
            {transitions.length > 0 && <Group words={say("who.transitions")} across={roles.length + 1} />}
            {transitions.map((transition) => (
              <tr key={transition.name}>
                <th scope="row">{transition.title}</th>
                {roles.map((role) => (
                  <Cell
                    key={`${role.isRecordRole} ${role.name}`}
                    grants={listGrants(compiler.transitionRulesFor(entity, transition), role.name, [
                      say("who.from", { states: transition.from.map(getStateTitle).join(", ") }),
                      ...(transition.guardAndPreconditions === null ? [] : [phrase(transition.guardAndPreconditions)]),
                    ])}
                    as={asEverybody(role, compiler.transitionRulesFor(entity, transition))}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
};

interface RoleHeadProps {
  readonly role: { readonly title: string; readonly isRecordRole: boolean; readonly members: string };
}

const RoleHead = ({ role }: RoleHeadProps) => {
  const { say } = useWords();
  return (
    <th scope="col">
      {role.title}
      <span>
        {role.isRecordRole
          ? say("who.of.record")
          : say(
              role.members === "granted"
                ? "who.granted"
                : role.members === "anyone"
                  ? "who.anyone"
                  : role.members === "deputies"
                    ? "who.deputies"
                    : "who.signed.in",
            )}
      </span>
    </th>
  );
};

const Group = ({ words, across }: { words: string; across: number }) => (
  <tr className="who-group">
    <th scope="colgroup" colSpan={across}>
      {words}
    </th>
  </tr>
);

/** `as`: roles held by everybody that have the permission, too. */
const Cell = ({ grants, as }: { grants: readonly GrantRow[]; as: readonly string[] }) => {
  const { say, show } = useWords();
  if (grants.length === 0)
    return as.length > 0 ? (
      <td className="who-as">{say("who.as", { roles: show.list(as) })}</td>
    ) : (
      <td>
        <span className="may never" role="img" aria-label={say("who.never")} />
      </td>
    );
  return (
    <td>
      {grants.map((way) => (
        <Fragment key={`${way.clause} ${way.words.join(" ")}`}>
          <Link
            className="who-way"
            href={`/workbench/document?clause=${encodeURIComponent(way.clause)}`}
            title={way.clause}
          >
            <span
              className={`may ${way.words.length === 0 ? "always" : "sometimes"}`}
              role="img"
              aria-label={say(way.words.length === 0 ? "who.always" : "who.sometimes")}
            />
            <span>{joinLimits(way.words, say)}</span>
          </Link>
        </Fragment>
      ))}
    </td>
  );
};
