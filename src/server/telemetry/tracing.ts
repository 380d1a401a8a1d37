import type { FastifyInstance } from "fastify";
import { StoreAway } from "../../postgres/database.ts";

/** Sends a span per request to an OpenTelemetry collector, continuing the incoming trace. */
export interface Traces {
  follow(app: FastifyInstance): void;
  /** Sends buffered spans. */
  stop(): Promise<void>;
}

/** True if OpenTelemetry's environment variables name a collector. */
const isConfigured = (): boolean =>
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].some(
    (name) => (process.env[name] ?? "") !== "",
  );

/**
 * Starts tracing if a collector is configured, and loads the packages only then. Spans are buffered in a bounded queue
 * and dropped if the collector does not answer.
 */
export const createTraces = async (name: string): Promise<Traces | undefined> => {
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
