import { hash } from "node:crypto";

/*
 * A secret permutation of vectors of small numbers: a Feistel network over the two halves of a vector, with addition
 * modulo the size of each position. By construction, different values stay different.
 */

const ROUNDS = 4;

/** Pseudo-random bytes that depend on a key, a round and some numbers, one for each position. */
const stream = (key: string, round: number, from: readonly number[], length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  const seed = `${key} ${round} ${from.join()}`;
  for (let at = 0, part = 0; at < length; part++) {
    const block = hash("sha256", `${part} ${seed}`, "buffer");
    bytes.set(block.subarray(0, Math.min(block.length, length - at)), at);
    at += block.length;
  }
  return bytes;
};

const turn = (key: string, vector: readonly number[], sizes: readonly number[], round: number, sign: 1 | -1) => {
  const half = Math.ceil(vector.length / 2);
  const [from, to] = round % 2 === 0 ? [0, half] : [half, vector.length];
  const others = [...vector.slice(0, from), ...vector.slice(to)];
  const added = stream(key, round, [vector.length, ...others], to - from);
  return vector.map((value, i) => {
    const size = sizes[i] ?? 1;
    if (i < from || i >= to) return value;
    return (((value + sign * ((added[i - from] ?? 0) % size)) % size) + size) % size;
  });
};

/**
 * Maps a vector to another one, each element below its size (2 to 255). Different vectors of the same sizes have
 * different results, and no vector is its own result.
 */
export const permute = (key: string, vector: readonly number[], sizes: readonly number[]): readonly number[] => {
  if (vector.length === 0) return vector;
  let turned = vector;
  for (let round = 0; round < ROUNDS; round++) turned = turn(key, turned, sizes, round, 1);
  // A shift without fixed points, between a permutation and its inverse, has no fixed points as a whole.
  turned = turned.map((value, i) => (i === 0 ? (value + 1) % (sizes[0] ?? 1) : value));
  for (let round = ROUNDS - 1; round >= 0; round--) turned = turn(key, turned, sizes, round, -1);
  return turned;
};
