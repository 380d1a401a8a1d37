import type { Job } from "../../postgres/job/job-store.ts";

/** Shows the progress of a job: on one line of a terminal, or elsewhere as one line per phase. */
export const showProgress = (
  stream: Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean } = process.stderr,
): { readonly show: (job: Pick<Job, "state" | "phase" | "steps">) => void; readonly end: () => void } => {
  let last = "";
  let isOpen = false;
  return {
    show: (job) => {
      // A version that is published at once needs no progress.
      if (job.steps.length === 0 || job.state === "done") return;
      const step = job.steps.find((candidate) => candidate.phase === job.phase && candidate.state === "waiting");
      const rows =
        step === undefined || step.total === null || step.total === 0
          ? ""
          : ` ${step.done.toLocaleString("en")} of ${step.total.toLocaleString("en")} records`;
      const line =
        stream.isTTY === true ? `${job.phase} ${step?.clause ?? ""}${rows}`.replace(/ {2,}/u, " ") : `${job.phase}…`;
      if (line === last) return;
      last = line;
      isOpen = stream.isTTY === true;
      stream.write(isOpen ? `\r\u001b[K${line}` : `${line}\n`);
    },
    end: () => {
      if (isOpen) stream.write("\r\u001b[K");
    },
  };
};

/** Says on a terminal what a command is doing, on one line that disappears. Elsewhere, says nothing. */
export const showStage = (
  stream: Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean } = process.stderr,
): { readonly show: (stage: string) => void; readonly end: () => void } => {
  const write = (text: string): void => void (stream.isTTY === true && stream.write(`\r\u001b[K${text}`));
  return { show: write, end: () => write("") };
};
