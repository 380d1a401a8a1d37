import type { Application } from "../../core/wire/application.ts";
import { createAccountCalls } from "./account-calls.ts";
import { createAuthoringCalls } from "./authoring-calls.ts";
import { createListCalls } from "./list-calls.ts";
import { createPeopleCalls } from "./people-calls.ts";
import { createRecordCalls } from "./record-calls.ts";
import { createRequests, type Notices } from "./requests.ts";

export type ApiClient = ReturnType<typeof createCalls>;

/** All calls of the interface. Each returns its result or throws a `CallFailed`. */
export const createCalls = (send: typeof fetch, notices: Notices) => {
  const requests = createRequests(send, notices);
  return {
    application: (signal?: AbortSignal) => requests.read<Application>("/_/application", { signal }),
    ...createRecordCalls(requests),
    ...createListCalls(requests),
    ...createAccountCalls(requests),
    ...createPeopleCalls(requests),
    ...createAuthoringCalls(requests),
  };
};
