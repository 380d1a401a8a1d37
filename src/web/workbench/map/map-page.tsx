import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useId, useMemo } from "react";
import type { Entity, States } from "../../../core/model/entity.ts";
import { listTargets, staysInState } from "../../../core/model/facts/transition-targets.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import type { StateCountsJson } from "../../../core/wire/authoring/document.ts";
import type { StateMarkJson as Mark } from "../../../core/wire/entities.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { scaleLength } from "../../app/font-scale.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { useElementWidth } from "../../ui/dom/use-element-width.ts";
import { Link } from "../../ui/link.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { DraftProvider } from "../draft/draft-provider.tsx";
import type { DraftSession } from "../draft/draft-session.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { type Box, type GraphEdge, type GraphLayout, labelWidth, layOutGraph, smoothPath } from "./graph-layout.ts";
import "../../styles/drawings.css";

type Compiler = typeof import("../draft/compiler.ts");

/** A diagram of entities and references, and of the states of each entity. */
const MapPage = () => {
  const { say } = useWords();
  return (
    <DraftProvider title={say("menu.workbench.map")}>
      {(drafting, compiler) => <Maps drafting={drafting} compiler={compiler} />}
    </DraftProvider>
  );
};

export default MapPage;

const Maps = ({ drafting, compiler }: { drafting: DraftSession; compiler: Compiler }) => {
  const { say } = useWords();
  const { calls } = useClient();
  const { files, changed } = useStore(drafting.store);
  const compiled = useMemo(() => compiler.createCompiler()(files), [compiler, files]);
  const { model } = compiled;
  const counts = useQuery({ queryKey: keys.stateCounts, queryFn: ({ signal }) => calls.stateCounts(signal) });
  const entities = [...(model?.entities.values() ?? [])];
  return (
    <WorkbenchFrame count={compiled.open.length}>
      <div className="workbench-page wide">
        <h1>{say("menu.workbench.map")}</h1>
        {changed && <p className="small-words">{say("workbench.of.draft")}</p>}
        {model === undefined ? (
          <p>{say("workbench.broken")}</p>
        ) : (
          <>
            <EntityMap model={model} />
            {entities.map(
              (entity) =>
                entity.states !== null && (
                  <StateMap
                    key={entity.name}
                    entity={entity}
                    states={entity.states}
                    marks={compiler.stateIcons(entity.states)}
                    counts={counts.data?.entities[entity.name]}
                  />
                ),
            )}
          </>
        )}
      </div>
    </WorkbenchFrame>
  );
};

/** Margin of a diagram in pixels. */
const frame = 18;

const HEAD = 34;
const ROW = 20;
const SHOWN = 8;

const EntityMap = ({ model }: { model: Model }) => {
  const { say } = useWords();
  const entities = useMemo(
    () => [...model.entities.values()].filter((entity) => entity.served || refersTo(model, entity.name)),
    [model],
  );
  const lines = useMemo(
    () =>
      entities.flatMap((entity) =>
        listReferences(entity).flatMap(({ name, title, entity: to }): GraphEdge[] =>
          to !== null && to !== entity.name && entities.some((candidate) => candidate.name === to)
            ? [{ from: entity.name, to, name: `${entity.name}.${name}`, label: title }]
            : [],
        ),
      ),
    [entities],
  );
  const titleNamed = useCallback(
    (name: string) => {
      const entity = model.entities.get(name);
      return entity ? getTitle(entity) : name;
    },
    [model],
  );
  const { ref, width: room } = useElementWidth<HTMLDivElement>();
  const laid = useMemo(
    () =>
      layOutGraph(
        entities.map((entity) => toBox(entity, titleNamed)),
        lines,
        (room ?? 0) - frame,
      ),
    [entities, lines, room, titleNamed],
  );
  if (entities.length === 0) return <p>{say("map.nothing")}</p>;
  return (
    <div ref={ref} className="map-section">
      <h2>{say("map.entities")}</h2>
      <Drawing laid={laid} label={say("map.entities")}>
        {entities.map((entity) => {
          const { width, height } = toBox(entity, titleNamed);
          const at = laid.boxes.get(entity.name) ?? { x: 0, y: 0 };
          const fields = [...entity.fields.values()];
          return (
            <g key={entity.name} transform={`translate(${at.x - width / 2} ${at.y - height / 2})`}>
              <rect className="map-box" width={width} height={height} rx="8" />
              <text className="map-title" x="12" y="22">
                {getTitle(entity)}
              </text>
              {fields.slice(0, SHOWN).map((field, i) => (
                <text key={field.name} className="map-field" x="12" y={HEAD + 14 + i * ROW}>
                  {field.title}
                  <tspan className="map-type"> {typeWords(field, entity, titleNamed)}</tspan>
                </text>
              ))}
              {fields.length > SHOWN && (
                <text className="map-type" x="12" y={HEAD + 14 + SHOWN * ROW}>
                  {say("map.more", { count: fields.length - SHOWN })}
                </text>
              )}
            </g>
          );
        })}
      </Drawing>
      <details className="map-words">
        <summary>{say("map.words")}</summary>
        <ul>
          {entities.flatMap((entity) =>
            listReferences(entity).map((field) => (
              <li key={`${entity.name}.${field.name}`}>
                {say("map.refers", {
                  entity: getTitle(entity),
                  target: titleNamed(field.entity ?? ""),
                  field: field.title,
                })}{" "}
                <Link href={`/workbench/document?clause=${encodeURIComponent(field.clause.id)}`}>
                  <ClauseId of={field.clause.id} />
                </Link>
              </li>
            )),
          )}
        </ul>
      </details>
    </div>
  );
};

const listReferences = (entity: Entity) => [...entity.fields.values()].filter((field) => field.type === "reference");

const refersTo = (model: Model, name: string): boolean =>
  [...model.entities.values()].some((entity) => listReferences(entity).some((field) => field.entity === name));

const getTitle = ({ called }: Entity): string => called.one.slice(0, 1).toLocaleUpperCase() + called.one.slice(1);

/** The type of a field. A reference to its own entity is listed here instead of drawn. */
const typeWords = (field: Field, { name }: Entity, titleNamed: (entity: string) => string): string => {
  const to = field.storage.as === "inverse" ? field.storage.entity : field.entity;
  if (to === null) return field.type;
  return to === name ? `${titleNamed(to)} ↺` : titleNamed(to);
};

const toBox = (entity: Entity, titleNamed: (entity: string) => string): Box => {
  const fields = [...entity.fields.values()];
  const longest = Math.max(
    labelWidth(getTitle(entity)) * 1.1,
    ...fields
      .slice(0, SHOWN)
      .map((field) => labelWidth(`${field.title} ${typeWords(field, entity, titleNamed)}`) * 0.95),
  );
  const rows = Math.min(fields.length, SHOWN) + (fields.length > SHOWN ? 1 : 0);
  return { id: entity.name, width: Math.max(120, Math.ceil(longest) + 24), height: HEAD + rows * ROW + 6 };
};

const StateMap = ({
  entity,
  states,
  marks,
  counts,
}: {
  entity: Entity;
  states: States;
  marks: ReadonlyMap<string, Mark>;
  counts: StateCountsJson["entities"][string] | undefined;
}) => {
  const { say, show } = useWords();
  const titleOfState = (name: string) => states.states.find((state) => state.name === name)?.title ?? name;
  const lines = [...states.transitions.values()].flatMap((transition) =>
    transition.from.flatMap((from) =>
      listTargets(states, transition, from).map((to) => ({
        from,
        to,
        name: `${transition.name} ${from} ${to}`,
        label: transition.title,
      })),
    ),
  );
  const count = (state: string): string =>
    counts === undefined ? "" : say("map.count", { count: counts[state] ?? 0 });
  const boxes = states.states.map(({ name, title }) => ({
    id: name,
    width: Math.max(96, labelWidth(title) + 40, labelWidth(count(name)) + 40),
    height: counts === undefined ? 38 : 54,
  }));
  const { ref, width } = useElementWidth<HTMLDivElement>();
  const laid = layOutGraph(
    boxes,
    lines.filter(({ from, to }) => from !== to),
    (width ?? 0) - frame,
  );
  return (
    <div ref={ref} className="map-section">
      <h2>{say("map.states", { entity: getTitle(entity) })}</h2>
      <Drawing laid={laid} label={say("map.states", { entity: getTitle(entity) })}>
        {states.states.map(({ name, title }) => {
          const box = boxes.find(({ id }) => id === name);
          const at = laid.boxes.get(name) ?? { x: 0, y: 0 };
          const mark = marks.get(name);
          if (box === undefined) return null;
          return (
            <g key={name} transform={`translate(${at.x - box.width / 2} ${at.y - box.height / 2})`}>
              <rect
                className={`map-box state-box ${states.final.has(name) ? "final" : ""}`}
                width={box.width}
                height={box.height}
                rx="10"
              />
              {mark && (
                <svg x="12" y="12" width="14" height="14" overflow="visible">
                  <title>{title}</title>
                  <StateMark mark={mark} />
                </svg>
              )}
              <text className="map-title" x="33" y="24">
                {title}
              </text>
              {counts !== undefined && (
                <text className="map-type" x="33" y="42">
                  {count(name)}
                </text>
              )}
            </g>
          );
        })}
      </Drawing>
      <details className="map-words">
        <summary>{say("map.words")}</summary>
        <ul>
          {[...states.transitions.values()].map((transition) => (
            <li key={transition.name}>
              {staysInState(states, transition)
                ? say("map.stays", {
                    transition: transition.title,
                    states: show.list(transition.from.map(titleOfState)),
                  })
                : say("map.moves", {
                    transition: transition.title,
                    from: show.list(transition.from.map(titleOfState)),
                    to: show.list(transition.to.map(titleOfState)),
                  })}{" "}
              <Link href={`/workbench/document?clause=${encodeURIComponent(transition.clause.id)}`}>
                <ClauseId of={transition.clause.id} />
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
};

/** A diagram of boxes and arrows; the same content follows as text. */
const Drawing = ({ laid, label, children }: { laid: GraphLayout; label: string; children: ReactNode }) => {
  const arrow = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a diagram that scrolls must be reachable by keyboard
    <section className="drawing" tabIndex={0} aria-label={label}>
      <svg
        width={scaleLength(laid.width)}
        height={scaleLength(laid.height)}
        viewBox={`0 0 ${laid.width} ${laid.height}`}
        role="img"
        aria-label={label}
      >
        <defs>
          <marker
            id={arrow}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 10 5 0 10z" className="map-arrow" />
          </marker>
        </defs>
        {laid.lines.map((line) => (
          <path key={line.name} className="map-line" d={smoothPath(line.points)} markerEnd={`url(#${arrow})`} />
        ))}
        {children}
        {laid.lines.map((line) => (
          <g key={line.name} transform={`translate(${line.at.x} ${line.at.y})`}>
            <rect
              className="map-label-ground"
              x={-labelWidth(line.label) / 2}
              y="-9"
              width={labelWidth(line.label)}
              height="18"
              rx="4"
            />
            <text className="map-label" textAnchor="middle" y="4">
              {line.label}
            </text>
          </g>
        ))}
      </svg>
    </section>
  );
};
