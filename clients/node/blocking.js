'use strict';
// The client for code that cannot wait for a promise, such as a propagator of OpenTelemetry: a thread of
// its own talks to the agent, and each call blocks this one until that has answered.
//
//   const { connectBlocking } = require('choreomon/blocking.js');
//   const agent = connectBlocking();                           // of the variable CHOREOMON
//   headers.choreomon = agent.sending('billing', 'charge');    // before the message leaves
const { performance } = require('node:perf_hooks');
const { MessageChannel, Worker, receiveMessageOnPort, workerData } = require('node:worker_threads');
const { AgentUnavailable, connect } = require('./choreomon.js');

const MORE = 1000; // milliseconds that the thread may take beyond the deadline

// The process whose agent is at `address`, as `connect` of choreomon.js has it, but blocking: `sending`,
// `handling` and `untold` return, or throw, when the agent has answered. Throws `AgentUnavailable`.
function connectBlocking(address, options = {}) {
  const found = new BlockingProcess(address, options);
  try {
    Object.assign(found, found.ask('welcomed'));
  } catch (error) {
    found.end(error);
    throw error;
  }
  return found;
}

class BlockingProcess {
  on = true;
  name = '';

  constructor(address, options) {
    const { port1, port2 } = new MessageChannel();
    const { NODE_OPTIONS, ...env } = process.env; // what it loads is for the service
    this.deadline = options.deadline ?? 5000;
    this.asked = 0;
    this.port = port1;
    this.turn = new Int32Array(new SharedArrayBuffer(4));
    this.worker = new Worker(__filename, {
      workerData: { choreomon: { port: port2, turn: this.turn, address, options } },
      transferList: [port2],
      execArgv: [],
      env,
    });
    this.worker.on('error', (error) => this.end(new AgentUnavailable(error.message)));
    this.worker.unref(); // the service may end while it waits for the agent
  }

  sending(to, name, values) { return this.on ? this.ask('sending', to, name, values) : ''; }

  handling(header, name, values) { if (this.on) this.ask('handling', header, name, values); }

  untold(name) { return this.on ? this.ask('untold', name) : ''; }

  close() {
    if (this.closed) return;
    try {
      this.ask('close');
    } finally {
      this.end(new AgentUnavailable('this process was closed'));
    }
  }

  ask(method, ...given) {
    if (this.closed) throw this.closed;
    const number = ++this.asked;
    const until = performance.now() + this.deadline + MORE;
    this.port.postMessage([number, method, given]);
    for (;;) {
      const turn = Atomics.load(this.turn, 0); // before looking, so that no answer is slept through
      for (let each; (each = receiveMessageOnPort(this.port));) {
        const [answered, value, refused] = each.message;
        if (answered !== number) continue; // of one that was given up
        if (!refused) return value;
        const [unavailable, message] = refused;
        throw unavailable ? new AgentUnavailable(message) : new TypeError(message);
      }
      const left = until - performance.now();
      if (left <= 0) throw new AgentUnavailable('the thread that talks to the agent is too slow');
      Atomics.wait(this.turn, 0, turn, left);
    }
  }

  end(error) {
    this.closed = error;
    this.port.close();
    this.worker.terminate();
  }
}

// In the thread

function serve({ port, turn, address, options }) {
  const connected = connect(address, options);
  connected.catch(() => {}); // who asks is told
  port.on('message', async ([number, method, given]) => {
    let answer;
    try {
      const agent = await connected;
      const { on, name } = agent;
      answer = [number, method === 'welcomed' ? { on, name } : await agent[method](...given)];
    } catch (error) {
      answer = [number, undefined, [error instanceof AgentUnavailable, error.message]];
    }
    port.postMessage(answer);
    Atomics.add(turn, 0, 1);
    Atomics.notify(turn, 0);
  });
}

if (workerData?.choreomon) serve(workerData.choreomon);

module.exports = { connectBlocking };
