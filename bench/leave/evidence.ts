import { mkdirSync, writeFileSync } from "node:fs";

/** Writes the results of a run, with its day and its Node. */
export const writeEvidence = (name: string, evidence: object): void => {
  const file = new URL(`../../docs/evidence/${name}`, import.meta.url);
  mkdirSync(new URL(".", file), { recursive: true });
  const how = { measured: new Date().toISOString().slice(0, 10), node: process.version };
  writeFileSync(file, `${JSON.stringify({ ...how, ...evidence }, undefined, 2)}\n`);
};
