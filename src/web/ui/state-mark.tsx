import type { StateMarkJson as Mark, StateJson } from "../../core/wire/entities.ts";

/** Circumference of the circle that forms the pie. */
const around = 2 * Math.PI * 1.75;

const Shape = ({ shape }: { shape: Mark["shape"] }) => {
  switch (shape.kind) {
    case "dashed":
      return <circle className="mark-line" cx="7" cy="7" r="5.6" strokeWidth="1.7" strokeDasharray="2.35 2.05" />;
    case "pie":
      return (
        <>
          <circle className="mark-line" cx="7" cy="7" r="5.8" strokeWidth="1.6" />
          <circle
            className="mark-line"
            cx="7"
            cy="7"
            r="1.75"
            strokeWidth="3.5"
            strokeDasharray={`${around * Math.min(shape.part, 7 / 8)} ${around}`}
            transform="rotate(-90 7 7)"
          />
        </>
      );
    case "square":
      return <rect className="mark-fill" x="1.4" y="1.4" width="11.2" height="11.2" rx="1.6" />;
    case "disc":
      return (
        <>
          <circle className="mark-fill" cx="7" cy="7" r="6.6" />
          {shape.cut === "bar" && <path className="mark-cut" d="M4 7h6" />}
          {shape.cut === "slash" && <path className="mark-cut" d="M4.9 9.1l4.2-4.2" />}
          {shape.cut === "dot" && <circle className="mark-cut-dot" cx="7" cy="7" r="1.7" />}
        </>
      );
  }
};

/** The icon of a state; always shown beside its name. */
export const StateMark = ({ mark }: { mark: Mark }) => (
  <svg className="mark" data-hue={mark.hue} viewBox="0 0 14 14" aria-hidden="true" focusable="false">
    {mark.ring ? (
      <>
        <circle className="mark-line" cx="7" cy="7" r="6.4" strokeWidth="1" />
        <g transform="translate(2.45 2.45) scale(.65)">
          <Shape shape={mark.shape} />
        </g>
      </>
    ) : (
      <Shape shape={mark.shape} />
    )}
  </svg>
);

export const StateWord = ({ state }: { state: StateJson }) => (
  <span className="state">
    <StateMark mark={state.mark} />
    <span className="cut">{state.label}</span>
  </span>
);

export const StatePill = ({ state }: { state: StateJson }) => (
  <span className="pill" data-hue={state.mark.hue}>
    <StateMark mark={state.mark} />
    {state.label}
  </span>
);
