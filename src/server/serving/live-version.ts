import type { FastifyInstance } from "fastify";
import type { InForce } from "../authoring/in-force.ts";
import { createService, type Service } from "../execution/service.ts";
import type { HotSwapServer } from "../lifecycle/hot-swap.ts";
import type { OpenDocument } from "./open-document.ts";

/** The version that this server runs: its document, its service, and the application that answers requests. */
export interface LiveVersion {
  inForce(): InForce;
  service(): Service;
  /** Undefined until the first version is live. */
  application(): FastifyInstance | undefined;
  /** Makes the version with which the database was opened live. */
  start(): Promise<void>;
  /** Replaces the live version. Requests in progress finish under the previous one. */
  replace(next: InForce): Promise<void>;
}

/** `build` creates the application of a version, and `afterReplace` is called when it is live. */
export const createLiveVersion = (
  opened: OpenDocument,
  server: HotSwapServer,
  build: (inForce: InForce, service: Service) => Promise<FastifyInstance>,
  afterReplace: (next: InForce) => void,
): LiveVersion => {
  let inForce: InForce = { compiled: opened.compiled, applied: opened.applied };
  let service = opened.service;
  let application: FastifyInstance | undefined;

  const open = async (next: InForce, nextService: Service): Promise<FastifyInstance> => {
    const app = await build(next, nextService);
    await app.ready();
    server.open(app);
    return app;
  };
  return {
    inForce: () => inForce,
    service: () => service,
    application: () => application,
    start: async () => {
      application = await open(inForce, service);
    },
    replace: async (next) => {
      const { model, version, past, retired } = next.applied;
      const nextService = createService(model, version, service.database, {
        sources: next.compiled.sources,
        past,
        retired,
        searched: opened.searched,
        objects: service.objects,
      });
      const app = await open(next, nextService);
      // Ends long polls under the previous document, so that clients learn of the new one.
      service.changes.release();
      inForce = next;
      service = nextService;
      application = app;
      afterReplace(next);
    },
  };
};
