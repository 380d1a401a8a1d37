import type { FastifyInstance } from "fastify";
import { StoreAway } from "../../postgres/database.ts";

/** What tells an OpenTelemetry collector of each request: a span, under the trace that it came with. */
export interface Traces {
  follow(app: FastifyInstance): void;
  /** Sends what waits. */
  stop(): Promise<void>;
}

/** Whether the environment names a collector, as OpenTelemetry's own variables do. */
const isConfigured = (): boolean =>
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].some(
    (name) => (process.env[name] ?? "") !== "",
  );

/**
 * Traces, where a collector is named; undefined where none is. The packages are loaded then alone, so that nobody else
 * pays for them. A collector that does not answer holds nothing up: spans wait in a bounded queue and are dropped.
 */
export const makeTraces = async (name: string): Promise<Traces | undefined> => {
  if (!isConfigured()) return undefined;
  const [{ context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }, core, resources, sdk, otlp] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ "service.name": process.env.OTEL_SERVICE_NAME ?? name }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new otlp.OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer("ninefold");
  const propagator = new core.W3CTraceContextPropagator();
  const headers = {
    get: (carrier: Readonly<Record<string, unknown>>, key: string) => {
      const value = carrier[key];
      return typeof value === "string" ? value : undefined;
    },
    keys: (carrier: Readonly<Record<string, unknown>>) => Object.keys(carrier),
  };
  return {
    follow: (app) => {
      const spans = new WeakMap<object, ReturnType<typeof tracer.startSpan>>();
      app.addHook("onRequest", (request, _, done) => {
        const route = request.routeOptions.url;
        const from = propagator.extract(ROOT_CONTEXT, request.headers, headers);
        const span = tracer.startSpan(
          route === undefined ? request.method : `${request.method} ${route}`,
          {
            kind: SpanKind.SERVER,
            attributes: {
              "http.request.method": request.method,
              ...(route === undefined ? {} : { "http.route": route }),
              "ninefold.request": request.id,
            },
          },
          from,
        );
        spans.set(request, span);
        context.with(trace.setSpan(from, span), done);
      });
      app.addHook("onError", (request, _, error, done) => {
        if (!(error instanceof StoreAway))
          spans.get(request)?.recordException({ name: error.name, message: error.name });
        done();
      });
      app.addHook("onResponse", (request, reply, done) => {
        const span = spans.get(request);
        span?.setAttribute("http.response.status_code", reply.statusCode);
        if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
        span?.end();
        done();
      });
    },
    stop: () => provider.shutdown(),
  };
};
