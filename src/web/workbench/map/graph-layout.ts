import dagre from "@dagrejs/dagre";

/** A box to place, with its size in pixels. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Distinguishes lines between the same boxes. */
  readonly name: string;
  readonly label: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** Centres of the boxes. */
  readonly boxes: ReadonlyMap<string, Point>;
  readonly lines: readonly (GraphEdge & { readonly points: readonly Point[]; readonly at: Point })[];
}

/** Approximate width of a label in pixels. */
export const labelWidth = (label: string): number => Math.ceil(label.length * 7.1) + 8;

type Direction = "LR" | "TB";

/** Arranges boxes in layers with few crossings (Sugiyama's method, by dagre). */
const layOutLayers = (boxes: readonly Box[], lines: readonly GraphEdge[], direction: Direction): GraphLayout => {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const across = direction === "LR";
  graph.setGraph({
    rankdir: direction,
    nodesep: across ? 28 : 32,
    edgesep: 18,
    ranksep: across ? 60 : 44,
    marginx: 16,
    marginy: 16,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to, name, label } of lines)
    graph.setEdge(from, to, { width: labelWidth(label), height: 18, labelpos: "c" }, name);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const placed = new Map(
    boxes.map((box) => {
      const { x, y } = graph.node(box.id) as Point;
      return [box.id, { ...box, x, y }];
    }),
  );
  const routed = lines.map((line) => {
    const edge = graph.edge({ v: line.from, w: line.to, name: line.name }) as Point & { points: readonly Point[] };
    return { ...line, points: edge.points, at: { x: edge.x, y: edge.y } };
  });
  const boxesAt = new Map([...placed].map(([id, { x, y }]) => [id, { x, y }]));
  return { width, height, boxes: boxesAt, lines: connectLines(routed, placed, direction) };
};

/** Length of the straight segment at a box. */
const lead = 14;
/** Distance between lines at one side of a box. */
const apart = 14;

interface Dock {
  readonly line: number;
  readonly end: "first" | "last";
  /** Position of the line's other end along the side. */
  readonly towards: number;
}

/**
 * Gives each line its own port at a box, sorted by direction, so that lines do not run across corners or meet at their
 * ends.
 */
const connectLines = (
  lines: GraphLayout["lines"],
  boxes: ReadonlyMap<string, Box & Point>,
  direction: Direction,
): GraphLayout["lines"] => {
  const [along, across] = direction === "LR" ? (["x", "y"] as const) : (["y", "x"] as const);
  const [depth, length] = direction === "LR" ? (["width", "height"] as const) : (["height", "width"] as const);
  const sides = new Map<string, Dock[]>();
  const sideKey = (id: string, near: Point): string =>
    `${near[along] < (boxes.get(id)?.[along] ?? 0) ? "-" : "+"}${id}`;
  for (const [at, { from, to, points }] of lines.entries()) {
    const ends = [
      { id: from, near: points[1], end: "first" },
      { id: to, near: points.at(-2), end: "last" },
    ] as const;
    for (const { id, near, end } of ends) {
      if (near === undefined) continue;
      const side = sideKey(id, near);
      sides.set(side, [...(sides.get(side) ?? []), { line: at, end, towards: near[across] }]);
    }
  }
  const places = lines.map(({ points }) => [...points]);
  for (const [side, docks] of sides) {
    const box = boxes.get(side.slice(1));
    if (box === undefined) continue;
    const sign = side.startsWith("-") ? -1 : 1;
    const step = Math.min(apart, (box[length] - 16) / Math.max(1, docks.length - 1));
    const ordered = docks.toSorted((one, other) => one.towards - other.towards);
    for (const [nth, { line, end }] of ordered.entries()) {
      const points = places[line];
      if (points === undefined) continue;
      const edge = box[along] + (sign * box[depth]) / 2;
      const place = box[across] + (nth - (docks.length - 1) / 2) * step;
      const point = (distance: number): Point => {
        const out = edge + sign * distance;
        return along === "x" ? { x: out, y: place } : { x: place, y: out };
      };
      if (end === "first") points.splice(0, 1, point(0), point(lead));
      else points.splice(-1, 1, point(lead), point(0));
    }
  }
  return lines.map((line, at) => ({ ...line, points: places[at] ?? line.points }));
};

/** Horizontal if there is room, otherwise vertical. */
const layOutAll = (boxes: readonly Box[], lines: readonly GraphEdge[], room: number): GraphLayout => {
  const across = layOutLayers(boxes, lines, "LR");
  return across.width <= room ? across : layOutLayers(boxes, lines, "TB");
};

/** Connected components, in the order of the boxes. */
const connectedParts = (boxes: readonly Box[], lines: readonly GraphEdge[]): readonly (readonly Box[])[] => {
  const group = new Map(boxes.map(({ id }, at) => [id, at]));
  for (const { from, to } of lines) {
    const [one, other] = [group.get(from), group.get(to)];
    if (one === undefined || other === undefined || one === other) continue;
    const lower = Math.min(one, other);
    for (const [id, at] of group) if (at === one || at === other) group.set(id, lower);
  }
  return [...new Set(group.values())].map((item) => boxes.filter(({ id }) => group.get(id) === item));
};

const translate = (laid: GraphLayout, x: number, y: number): Pick<GraphLayout, "boxes" | "lines"> => {
  const by = (point: Point): Point => ({ x: point.x + x, y: point.y + y });
  return {
    boxes: new Map([...laid.boxes].map(([id, middle]) => [id, by(middle)])),
    lines: laid.lines.map((line) => ({ ...line, points: line.points.map(by), at: by(line.at) })),
  };
};

/** Lays out the components, largest first, side by side while there is room, then below. */
export const layOutGraph = (boxes: readonly Box[], lines: readonly GraphEdge[], room: number): GraphLayout => {
  const drawings = connectedParts(boxes, lines)
    .map((some) =>
      layOutAll(
        some,
        lines.filter(({ from }) => some.some(({ id }) => id === from)),
        room,
      ),
    )
    .toSorted((one, other) => other.lines.length - one.lines.length);
  const put: Pick<GraphLayout, "boxes" | "lines">[] = [];
  let [x, y, below, width] = [0, 0, 0, 0];
  for (const drawing of drawings) {
    if (x > 0 && x + drawing.width > room) [x, y] = [0, below];
    put.push(translate(drawing, x, y));
    x += drawing.width;
    below = Math.max(below, y + drawing.height);
    width = Math.max(width, x);
  }
  return {
    width,
    height: below,
    boxes: new Map(put.flatMap((item) => [...item.boxes])),
    lines: put.flatMap((item) => item.lines),
  };
};

/** A polyline with rounded corners. */
export const smoothPath = (points: readonly Point[]): string => {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const last = rest.at(-1) ?? first;
  let path = `M${first.x} ${first.y}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const [corner, next] = [rest[i] ?? last, rest[i + 1] ?? last];
    path += ` Q${corner.x} ${corner.y} ${(corner.x + next.x) / 2} ${(corner.y + next.y) / 2}`;
  }
  return `${path} L${last.x} ${last.y}`;
};
