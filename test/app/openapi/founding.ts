import type { TestServer } from "../program.ts";
import type { Makes } from "./ways.ts";

/** Signing in and out, which a document without entities serves too. */
export const founding: Makes = async (served: TestServer) => {
  const password = "a long enough password";
  const { email } = await served.account("Frieda", password);
  const credentials = { email, password };
  return {
    people: [],
    done: {
      "session.begin": () => ({ by: served.visitor(), body: credentials }),
      "session.end": async () => ({ by: await served.person("Somebody Else") }),
    },
    refused: {
      "session.begin BAD_CREDENTIALS": () => ({ by: served.visitor(), body: { email, password: "another one" } }),
      "session.begin TOO_MANY_ATTEMPTS": async () => {
        const by = served.visitor();
        const body = { email: "nobody@example.com", password };
        for (let tried = 0; tried < 10; tried++) await by.post("/_/session", body);
        return { by, body };
      },
    },
  };
};
