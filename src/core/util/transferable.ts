import Big from "big.js";

/*
 * Transfers a large value between threads in slices, so that the receiving thread can do other work in between. Each
 * object of the value is a node, and nodes refer to each other by number.
 */

/** One object, list, map or set of the value. The structured clone algorithm can copy it. */
export interface TransferNode {
  readonly kind: Kind;
  /** Names of an object's members. */
  readonly keys: readonly string[];
  /** The members; for a map, each key before its value. Undefined for members that are in `nodes` or `numbers`. */
  readonly values: readonly unknown[];
  /** Members that are nodes: index, kind and number of each, in sequence. */
  readonly nodes: readonly number[];
  /** Members that are exact numbers, by index. */
  readonly numbers: readonly (readonly [place: number, text: string])[];
}

const OBJECT = 0;
const LIST = 1;
const MAP = 2;
const SET = 3;
type Kind = typeof OBJECT | typeof LIST | typeof MAP | typeof SET;

const getKind = (object: object): Kind => {
  if (Array.isArray(object)) return LIST;
  if (object instanceof Map) return MAP;
  if (object instanceof Set) return SET;
  // The receiver creates objects with the usual prototype, so an object without one would arrive changed.
  if (Object.getPrototypeOf(object) !== Object.prototype) throw new TypeError("only plain objects are transferred");
  return OBJECT;
};

const getMembers = (object: object): readonly unknown[] => {
  if (object instanceof Map) return [...object].flat(1);
  return object instanceof Set ? [...object] : Object.values(object);
};

/**
 * The nodes of a value, the value itself first. Shared objects stay shared. Throws a `TypeError` for anything but plain
 * objects, lists, maps, sets, exact numbers and primitives.
 */
export const toNodes = (value: object): readonly TransferNode[] => {
  const all: object[] = [value];
  const known = new Map<object, number>([[value, 0]]);
  const sameKeys = new Map<string, readonly string[]>();
  const numberOf = (inner: object): number => {
    const number = known.get(inner) ?? all.push(inner) - 1;
    known.set(inner, number);
    return number;
  };
  const keysOf = (object: object): readonly string[] => {
    const keys = Object.keys(object);
    const text = JSON.stringify(keys);
    const first = sameKeys.get(text) ?? keys;
    sameKeys.set(text, first);
    return first;
  };
  const toNode = (object: object): TransferNode => {
    const [nodes, numbers]: [number[], [number, string][]] = [[], []];
    const values = getMembers(object).map((inner, place) => {
      if (typeof inner === "function" || typeof inner === "symbol") throw new TypeError(`a ${typeof inner} stays here`);
      if (typeof inner !== "object" || inner === null) return inner;
      if (inner instanceof Big) numbers.push([place, inner.toFixed()]);
      else nodes.push(place, getKind(inner), numberOf(inner));
      return undefined;
    });
    const kind = getKind(object);
    return { kind, keys: kind === OBJECT ? keysOf(object) : [], values, nodes, numbers };
  };
  const found: TransferNode[] = [];
  // `all` grows during this loop.
  for (const object of all) found.push(toNode(object));
  return found;
};

/** Setting a member named `__proto__` would replace the prototype instead. */
const addMember = (object: object, key: string, value: unknown): void => {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else Reflect.set(object, key, value);
};

const empty = (kind: Kind): object => (kind === LIST ? [] : kind === MAP ? new Map() : kind === SET ? new Set() : {});

/** Rebuilds the value from its nodes, which arrive in order and in batches. */
export class NodeReceiver {
  readonly #objects: object[] = [];
  #next = 0;

  /** The value. Complete once all nodes have been added. */
  get value(): unknown {
    return this.#objects[0];
  }

  add(nodes: readonly TransferNode[]): void {
    for (const node of nodes) this.#fill(this.#objectAt(this.#next++, node.kind), node);
  }

  #objectAt(number: number, kind: Kind): object {
    const known = this.#objects[number];
    if (known !== undefined) return known;
    const object = empty(kind);
    this.#objects[number] = object;
    return object;
  }

  #fill(object: object, { keys, values, nodes, numbers }: TransferNode): void {
    const members = [...values];
    for (let i = 0; i < nodes.length; i += 3)
      members[nodes[i] as number] = this.#objectAt(nodes[i + 2] as number, nodes[i + 1] as Kind);
    for (const [place, text] of numbers) members[place] = new Big(text);
    if (Array.isArray(object)) for (const member of members) object.push(member);
    else if (object instanceof Set) for (const member of members) object.add(member);
    else if (object instanceof Map) for (let i = 0; i < members.length; i += 2) object.set(members[i], members[i + 1]);
    else for (let i = 0; i < keys.length; i++) addMember(object, keys[i] as string, members[i]);
  }
}
