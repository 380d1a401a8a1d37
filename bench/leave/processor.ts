import { readdirSync, readFileSync } from "node:fs";

/** Seconds of processor time of a process, and of its children that have ended; undefined where /proc is not Linux's. */
const timesOf = (pid: number): { readonly parent: number; readonly seconds: number } | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in brackets and can contain any character.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { parent: Number(fields[1]), seconds: ticks / 100 };
  } catch {
    return undefined;
  }
};

export const parentOf = (pid: number): number | undefined => timesOf(pid)?.parent;

/** Seconds of processor time that a process and its children have used so far. */
export const secondsOf = (pid: number): number => {
  let sum = timesOf(pid)?.seconds ?? Number.NaN;
  if (Number.isNaN(sum)) return sum;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/u.test(name) ? timesOf(Number(name)) : undefined;
    if (times?.parent === pid) sum += times.seconds;
  }
  return sum;
};

/** Memory of a process in MB. */
export const megabytesOf = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
};
