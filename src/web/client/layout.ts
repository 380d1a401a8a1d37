import dagre from "@dagrejs/dagre";

/** A box to be placed, with its size in pixels. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly from: string;
  readonly to: string;
  /** Tells lines between the same two boxes apart. */
  readonly name: string;
  readonly label: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Laid {
  readonly width: number;
  readonly height: number;
  /** The middle of each box. */
  readonly boxes: ReadonlyMap<string, Point>;
  readonly lines: readonly (Line & { readonly points: readonly Point[]; readonly at: Point })[];
}

/** Width of a label in pixels, as near as a layout needs it. */
export const widthOf = (label: string): number => Math.ceil(label.length * 7.1) + 8;

/** Places boxes in layers, so that lines run one way and cross seldom (the method of Sugiyama, by dagre). */
export const laidOut = (boxes: readonly Box[], lines: readonly Line[], direction: "LR" | "TB"): Laid => {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: direction,
    nodesep: 34,
    edgesep: 18,
    ranksep: direction === "LR" ? 70 : 60,
    marginx: 16,
    marginy: 16,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to, name, label } of lines)
    graph.setEdge(from, to, { width: widthOf(label), height: 18, labelpos: "c" }, name);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    boxes: new Map(
      boxes.map(({ id }) => {
        const { x, y } = graph.node(id) as Point;
        return [id, { x, y }];
      }),
    ),
    lines: lines.map((line) => {
      const edge = graph.edge({ v: line.from, w: line.to, name: line.name }) as Point & { points: readonly Point[] };
      return { ...line, points: edge.points, at: { x: edge.x, y: edge.y } };
    }),
  };
};

/** A line through points, its corners rounded. */
export const pathThrough = (points: readonly Point[]): string => {
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
