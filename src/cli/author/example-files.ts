import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The examples that the program comes with, each in one sentence. */
export const examples = {
  lending: "things that people borrow and return, with reminders when they are overdue",
  "help-desk": "tickets with priorities, assignment and comments",
  "leave-desk": "leave requests that managers approve, with allowances and deputies",
  purchasing: "purchase requests with approvals by amount, orders and deliveries",
  booking: "bookings of instruments in a calendar, without overlaps, with trainings",
} as const;

export const exampleNames = Object.keys(examples);

/** The path of an example: `examples/lending.md`. Its story is beside it. */
export const toExamplePath = (name: string): string => join(root, "examples", `${name}.md`);
