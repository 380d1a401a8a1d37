import { describe, expect, test } from "vitest";
import {
  type Box,
  type GraphEdge,
  type GraphLayout,
  layOutGraph,
  type Point,
} from "../../../src/web/workbench/map/graph-layout.ts";

/** Transitions as `from>to`; each state is a box. */
const drawn = (
  transitions: readonly string[],
  room: number,
): { readonly boxes: readonly Box[]; readonly laid: GraphLayout } => {
  const lines = transitions.map((transition): GraphEdge => {
    const [from = "", to = ""] = transition.split(">");
    return { from, to, name: transition, label: `to ${to}` };
  });
  const boxes = [...new Set(lines.flatMap(({ from, to }) => [from, to]))].map((id) => ({ id, width: 110, height: 54 }));
  return { boxes, laid: layOutGraph(boxes, lines, room) };
};

const four = ["asked>lent", "asked>declined", "lent>returned"];
const eight = [
  ...["draft>sent", "draft>gone", "sent>granted", "sent>refused", "sent>back", "back>draft", "granted>booked"],
  ...["granted>off", "booked>off"],
];
const fifteen = [
  ...["asked>booked", "asked>declined", "asked>waiting", "waiting>booked", "booked>prepared", "booked>running"],
  ...["prepared>running", "running>over", "over>checked", "checked>billed", "billed>paid", "billed>disputed"],
  ...["disputed>settled", "asked>moved", "booked>moved", "prepared>moved", "moved>booked", "asked>cancelled"],
  ...["booked>cancelled", "waiting>cancelled", "prepared>cancelled", "moved>cancelled", "paid>archived"],
  ...["settled>archived", "cancelled>archived", "declined>archived", "archived>asked"],
];

const inside = ({ x, y }: Point, middle: Point, { width, height }: Box) =>
  Math.abs(x - middle.x) < width / 2 - 1 && Math.abs(y - middle.y) < height / 2 - 1;

/** Points along a line at short distances. */
const along = (points: readonly Point[]): readonly Point[] =>
  points.slice(1).flatMap((to, at) => {
    const from = points[at] ?? to;
    return Array.from({ length: 40 }, (_, nth) => ({
      x: from.x + ((to.x - from.x) * nth) / 40,
      y: from.y + ((to.y - from.y) * nth) / 40,
    }));
  });

describe.each([
  ["4 states", four],
  ["8 states", eight],
  ["15 states", fifteen],
])("a drawing of %s", (_, transitions) => {
  test.each([1_240, 340])("in %s pixels has no line across a box, and no shared end of two lines", (room) => {
    const { boxes, laid } = drawn(transitions, room);
    const crossed = laid.lines.flatMap((line) =>
      boxes.flatMap((box) => {
        const middle = laid.boxes.get(box.id) ?? { x: 0, y: 0 };
        return along(line.points).some((point) => inside(point, middle, box)) ? [`${line.name} over ${box.id}`] : [];
      }),
    );
    expect(crossed).toEqual([]);
    const ends = laid.lines.flatMap(({ points }) => [points[0], points.at(-1)]).map((one) => `${one?.x} ${one?.y}`);
    expect(new Set(ends).size).toBe(ends.length);
    expect(drawn(transitions, room).laid).toEqual(laid);
  });

  test("is complete on a desktop screen", () => {
    expect(drawn(transitions, 1_240).laid.width).toBeLessThanOrEqual(1_240);
  });
});

test("puts few states side by side, and many from top to bottom", () => {
  const wider = ({ width, height }: GraphLayout) => width > height;
  expect(wider(drawn(four, 1_240).laid)).toBe(true);
  expect(wider(drawn(fifteen, 1_240).laid)).toBe(false);
});

test("puts unconnected states beside the others if there is space, and below otherwise", () => {
  const boxes = ["asked", "lent", "holiday", "tag"].map((id) => ({ id, width: 110, height: 54 }));
  const lines = [{ from: "asked", to: "lent", name: "lend", label: "to lent" }];
  const rows = (room: number): readonly string[] => {
    const { boxes: placed, width } = layOutGraph(boxes, lines, room);
    expect(width).toBeLessThanOrEqual(room);
    const heights = [...new Set([...placed.values()].map(({ y }) => y))].toSorted((one, other) => one - other);
    return heights.map((height) => [...placed].flatMap(([id, { y }]) => (y === height ? [id] : [])).join(" "));
  };
  expect(rows(1_240)).toEqual(["asked lent holiday tag"]);
  expect(rows(500)).toEqual(["asked lent", "holiday tag"]);
  expect(rows(150)).toEqual(["asked", "lent", "holiday", "tag"]);
});
