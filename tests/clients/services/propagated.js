// A service whose HTTP is instrumented by OpenTelemetry posts to itself, as to the courier, and says what came.
const path = require('node:path');
const [, , clients, deadline, ...paths] = process.argv;
const { connectBlocking } = require(path.join(clients, 'blocking.js'));
const { httpTo, propagatorOf, recordingAll } = require(path.join(clients, 'opentelemetry.js'));
const api = require('@opentelemetry/api');
const { AlwaysOffSampler, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
const { W3CTraceContextPropagator } = require('@opentelemetry/core');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { registerInstrumentations } = require('@opentelemetry/instrumentation');

const agent = connectBlocking('run/agent.sock', { deadline: Number(deadline) });
const processes = {};
const requests = httpTo(processes);
const message = (span) => requests(span) && { ...requests(span), values: {} };
const ours = propagatorOf(api, agent, message, [new W3CTraceContextPropagator()]);
const provider = new NodeTracerProvider({ sampler: recordingAll(new AlwaysOffSampler()) });
provider.register({ propagator: ours });
registerInstrumentations({ tracerProvider: provider, instrumentations: [new HttpInstrumentation()] });
const http = require('node:http');

const server = http.createServer((request, response) => {
  const { choreomon = '', traceparent = '' } = request.headers;
  const heard = ours.headerIn(api.context.active()) ?? '';
  response.end(JSON.stringify({ path: request.url, choreomon, traceparent, heard }));
});

function post(target) {
  return new Promise((resolve, reject) => {
    const { port } = server.address();
    // A connection each: none is closed as idle after this thread was blocked for long.
    const to = { port, host: '127.0.0.1', method: 'POST', path: target, agent: false };
    const asked = http.request(to, (response) => {
      let text = '';
      response.on('data', (data) => { text += data; });
      response.on('end', () => resolve(text));
    });
    asked.on('error', reject);
    asked.end();
  });
}

server.listen(0, '127.0.0.1', async () => {
  processes[`127.0.0.1:${server.address().port}`] = 'courier';
  for (const target of paths) {
    try {
      console.log(await post(target));
    } catch (error) {
      console.log(JSON.stringify({ path: target, refused: error.name }));
    }
  }
  agent.close();
  server.close();
});
