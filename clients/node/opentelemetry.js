'use strict';
// OpenTelemetry's propagator: the agent is told of a message when an instrumentation writes its headers,
// which is before it leaves, and what came with one is in the context of its handler.
//
//   const agent = connectBlocking();
//   const others = [new W3CTraceContextPropagator()];
//   const propagator = propagatorOf(api, agent, httpTo({ 'billing:8000': 'billing' }), others);
//
// `api` is the service's own `@opentelemetry/api`, on which nothing here depends.
const { isName, isValue } = require('./choreomon.js');

const HEADER = 'choreomon';

// `message`: of the span of a message that leaves, `{ to, name, values }`, the process that takes it, what
// it is called, and what it carries; or `undefined` where it is none. What goes wrong in it, and values
// that are missing, are told to `api.diag`, and the agent learns that an event is missing.
//
// `inject` throws `AgentUnavailable`: then the message must not leave. OpenTelemetry's CompositePropagator
// would swallow that, and let it leave; so this one calls the `others`, before it does its own.
function propagatorOf(api, agent, message, others = []) {
  const key = api.createContextKey(HEADER);
  const leaving = [api.SpanKind.CLIENT, api.SpanKind.PRODUCER];

  const sending = (span) => {
    let told;
    try {
      told = message(span);
      if (!told) return '';
      const { to, name, values = {} } = told;
      if (![to, name].every(isName) || !Object.values(values).every(isValue)) throw new TypeError('strange');
    } catch (error) {
      api.diag.error(`choreomon: ${span.name} is no message`, error);
      return agent.untold('unknown');
    }
    const { traceId, spanId } = span.spanContext();
    try {
      return agent.sending(told.to, told.name, { traceparent: `00-${traceId}-${spanId}-00`, ...told.values });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      api.diag.error(`choreomon: ${span.name} was told as one that is missing`, error);
      return agent.untold(told.name);
    }
  };

  return {
    inject(context, carrier, setter) {
      for (const each of others) each.inject(context, carrier, setter);
      const span = api.trace.getSpan(context);
      if (!agent.on || !leaving.includes(span?.kind)) return;
      const header = sending(span);
      if (header) setter.set(carrier, HEADER, header);
      else delete carrier?.[HEADER]; // of a message whose headers are passed on
    },

    extract(before, carrier, getter) {
      const context = others.reduce((so, each) => each.extract(so, carrier, getter), before);
      const found = [getter.get(carrier, HEADER) ?? []].flat();
      return found.length === 1 ? context.setValue(key, found[0]) : context; // of two none is right
    },

    fields: () => [...others.flatMap((each) => each.fields()), HEADER],

    /** The header of the message that is handled in a context, for `handling`. */
    headerIn: (context) => context.getValue(key),
  };
}

/** Requests over HTTP by method and path, `POST /charge`, to the processes at these addresses, HOST:PORT. */
function httpTo(processes) {
  return ({ attributes }) => {
    const url = attributes['url.full'] ?? attributes['http.url'];
    if (!url) return undefined;
    const { host, pathname } = new URL(url);
    const method = attributes['http.request.method'] ?? attributes['http.method'];
    const to = processes[host];
    return to && { to, name: `${method} ${pathname}` };
  };
}

// The sampler, and what it drops is recorded all the same, within the service: spans that are not recorded
// do not say what their messages are. Nothing more is exported.
function recordingAll(sampler) {
  return {
    shouldSample(...given) {
      const found = sampler.shouldSample(...given);
      return found.decision === 0 ? { ...found, decision: 1 } : found;
    },
    toString: () => `RecordingAll(${sampler})`,
  };
}

module.exports = { httpTo, propagatorOf, recordingAll };
