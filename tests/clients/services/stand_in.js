// OpenTelemetry's propagator on a stand-in for its API: what is strange about messages and headers.
const path = require('node:path');
const { connectBlocking } = require(path.join(process.argv[2], 'blocking.js'));
const { propagatorOf, recordingAll } = require(path.join(process.argv[2], 'opentelemetry.js'));
const said = [];
const api = {
  SpanKind: { CLIENT: 2, PRODUCER: 3 },
  createContextKey: Symbol,
  trace: { getSpan: (context) => context.span },
  diag: { error: (message) => said.push(message) },
};
class Context {
  values = {};
  constructor(span) { this.span = span; }
  getValue(key) { return this.values[key]; }
  setValue(key, value) { return Object.assign(new Context(this.span), { values: { [key]: value } }); }
}
const spanContext = () => ({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' });
const set = { set: (carrier, name, value) => { carrier[name] = value; } };
const get = { get: (carrier, name) => carrier[name] };
const agent = connectBlocking('run/agent.sock', { deadline: 300000 });
const ours = propagatorOf(api, agent, (span) => span.told());
const injected = (kind, told, carrier = {}) => {
  ours.inject(new Context({ name: 'a span', kind, told, spanContext }), carrier, set);
  return carrier;
};
const heard = (carrier) => ours.headerIn(ours.extract(new Context(), carrier, get)) ?? null;
const sampler = (decision) => recordingAll({ shouldSample: () => ({ decision, attributes: {} }) });
const parcel = { to: 'courier', name: 'parcel' };
console.log(JSON.stringify({
  parcel: injected(2, () => ({ ...parcel, values: { order: 'A-17' } })),
  without: injected(3, () => parcel),
  thrown: injected(2, () => { throw new Error('of the service'); }),
  long: injected(2, () => ({ to: 'courier', name: `POST /${'x'.repeat(300)}` })),
  values: [undefined, '', 1.5, {}, '\ud800', 'é'.repeat(129)].map(
    (order) => injected(2, () => ({ ...parcel, values: { order } })).choreomon,
  ),
  nameless: [undefined, '', '(begin)', 'a\nb', 7].map(
    (name) => injected(2, () => ({ to: 'courier', name })).choreomon,
  ),
  nobody: injected(2, () => undefined, { choreomon: '1/thief/parcel/' }),
  server: injected(1, () => parcel),
  said,
  heard: ['1/shop/parcel/', ['1/shop/parcel/'], ['1/a/b/', '1/a/c/'], undefined].map(
    (choreomon) => heard({ choreomon }),
  ),
  decisions: [0, 1, 2].map((decision) => sampler(decision).shouldSample().decision),
  fields: ours.fields(),
}));
agent.close();
