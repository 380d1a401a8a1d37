// For `node --import`: the same program with nothing in it that says why. What stands in the place of the one module through
// which requests reach it answers a refusal as it came; everything behind that module is not even loaded.
import { register } from "node:module";

const dataOf = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

const silent = dataOf(`
  const none = () => Promise.reject(new Error("nothing says why here"));
  export const answerWhy = none;
  export const permissionsFor = none;
  export const withReasons = (service, intent, refusal) => Promise.resolve(refusal);
`);

register(
  dataOf(`
    export const resolve = async (specifier, context, next) => {
      const found = await next(specifier, context);
      return found.url.endsWith("/dist/server/why.js")
        ? { url: ${JSON.stringify(silent)}, format: "module", shortCircuit: true }
        : found;
    };
  `),
);
