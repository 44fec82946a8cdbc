'use strict';
// A client of choreomon agents for Node.js, without dependencies: docs/agent-protocol.md.
//
//   const { connect } = require('choreomon');
//   const agent = await connect();                                  // of the variable CHOREOMON
//   headers.choreomon = await agent.sending('billing', 'charge');   // before the message leaves
//   await agent.handling(request.headers.choreomon, 'charge');      // before anything is done
//
// The policy is `block`, and every event is told. What was not answered when a connection broke is told
// again, and counts once. Where the agent has lost its memory, it is told how many events are in doubt,
// and reminded of all that was known.
const { readFile } = require('node:fs/promises');
const net = require('node:net');

const PAUSES = [50, 100, 200, 400, 800, 1600, 2000]; // milliseconds between attempts to connect
const GREETING = 10_000; // milliseconds in which a connection has to be welcomed
const NAME = '[\\w~][\\w.~-]{0,2399}';
const HEADER = new RegExp(`^[12]/(${NAME})/(${NAME})/(~?[\\w-]{0,4096})$`);

/** Nothing was answered in time, or the agent refuses this client: the message must not leave. */
class AgentUnavailable extends Error {
  name = 'AgentUnavailable';
}

const hex = (text) => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '~$&');
const word = (name) => name.replace(/^\W|[^\w.-]/gu, hex);
const ofWord = (text) => {
  try {
    return decodeURIComponent(text.replaceAll('~', '%'));
  } catch {
    return ''; // no name
  }
};
const written = (name) =>
  /^\w[\w.-]*$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;

// Agents refuse a client that says anything else for good.
const isName = (name) =>
  typeof name === 'string' && /^(?!\(begin\)$)(?:[^\p{C}\p{Z}]| ){1,200}$/u.test(name);
const isValue = (value) => Number.isSafeInteger(value)
  || (typeof value === 'string' && value && Buffer.byteLength(value) <= 256 && !/\p{Cs}/u.test(value));

// 2: with a short clock.
const headerOf = (by, name, clock) => `${clock[0] === '~' ? 2 : 1}/${word(by)}/${word(name)}/${clock}`;

/** The values that travel in a header `choreomon`; `undefined` where it is none. */
const read = (header) => {
  const found = typeof header === 'string' && HEADER.exec(header);
  const right = found && (header[0] === '2') === (found[3][0] === '~');
  const [sender, name] = right ? [ofWord(found[1]), ofWord(found[2])] : ['', ''];
  return isName(sender) && isName(name) ? { sender, name, clock: found[3] } : undefined;
};

const noName = (text) => new TypeError(`${JSON.stringify(text)} is no name: 1 to 200 printable characters`);

/** A service that is not monitored: everything does nothing, and no header is written. */
const OFF = Object.freeze({
  on: false,
  name: '',
  async sending() { return ''; },
  async handling() {},
  async untold() { return ''; },
  async close() {},
});

/**
 * The process whose agent is at `address`, once the agent has answered.
 *
 * `address` is the path of the agent's socket, or `tcp://127.0.0.1:PORT`; without one, that of the
 * environment variable `CHOREOMON`. Where that is `off`, or there is neither, nothing is monitored.
 * `deadline`: milliseconds that this may take, and each event may wait. `tokenFile`: of the agent, for
 * `tcp`; also from `CHOREOMON_TOKEN_FILE`. Rejects with `AgentUnavailable`.
 */
async function connect(address, { deadline = 5000, tokenFile } = {}) {
  const stated = (process.env.CHOREOMON ?? '').trim();
  const where = stated.toLowerCase() === 'off' ? '' : (address ?? stated);
  if (!where || where === 'off') return OFF;
  const found = new Process(placeOf(where), deadline, tokenFile ?? process.env.CHOREOMON_TOKEN_FILE);
  return found.begin();
}

function placeOf(address) {
  const tcp = /^tcp:\/\/(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(address);
  if (tcp) return { host: tcp[1].replace(/[[\]]/g, ''), port: Number(tcp[2]) };
  if (address.includes('://') || !/[/.]/.test(address)) {
    throw new TypeError(`agent address ${address}: use the path of its socket, or tcp://127.0.0.1:PORT`);
  }
  return { path: address.replace(/^unix:(\/\/)?/, '') };
}

class Process {
  on = true;
  /** The name of the process, as its agent says it. */
  name = '';

  constructor(place, deadline, tokenFile) {
    Object.assign(this, { place, deadline, tokenFile });
    this.session = '';
    this.known = ''; // the last clock that was answered
    this.lost = 0; // events in doubt, of which the next hello tells
    this.failures = 0;
    this.restart();
  }

  /** A session without reports. */
  restart() {
    [this.session, this.last, this.told, this.done] = ['', 0, 0, 0];
    this.waiting = new Map(); // by their numbers, reports that were not answered
  }

  begin() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(new AgentUnavailable(
        `no agent at ${this.place.path ?? this.place.port}: ${this.trouble ?? 'no answer'}`,
      )), this.deadline);
      this.welcomed = () => { clearTimeout(timer); resolve(this); };
      this.failed = (error) => { clearTimeout(timer); reject(error); };
      this.open();
    });
  }

  /** Before a message leaves: the text of its header. `values`: what it carries, `{ order: 'A-17' }`. */
  async sending(to, name, values) {
    return headerOf(this.name, name, await this.report('send', to, name, '', values));
  }

  /** Before anything is done because of a message: its header, and, for one from outside, its name. */
  async handling(header, name, values) {
    const carried = read(header);
    if (carried) await this.report('handle', carried.sender, carried.name, carried.clock, values);
    else if (name) await this.report('handle', 'env', name, '', values);
  }

  /** A message leaves of which not enough is known: an event is missing. The text of its header. */
  async untold(name) {
    if (!isName(name)) throw noName(name);
    return headerOf(this.name, name, await this.enqueue({ type: 'gap', lost: 1 }));
  }

  /** Ends the session in order, once all was answered, or the deadline is over. */
  async close() {
    if (this.closed) return;
    await Promise.race([
      Promise.allSettled([...this.waiting.values()].map((each) => each.settled)),
      this.ready ? new Promise((resolve) => setTimeout(resolve, this.deadline).unref()) : undefined,
    ]);
    if (this.ready) this.say({ type: 'goodbye' });
    this.end(new AgentUnavailable('this process was closed'));
  }

  // Events

  report(event, peer, name, heard, values) {
    if (this.closed) return Promise.reject(this.closed);
    for (const each of [peer, name]) if (!isName(each)) return Promise.reject(noName(each));
    const [me, other, what] = [this.name, peer, name].map(written);
    const label = `${event === 'send' ? `${me} -> ${other}` : `handle ${other} -> ${me}`} : ${what}`;
    const carries = this.labels.find((each) => each.startsWith(`${label}(`));
    const wanted = carries ? carries.slice(label.length + 1, -1).split(', ') : [];
    const missing = wanted.filter((each) => !isValue(values?.[each]));
    if (missing.length) return Promise.reject(new TypeError(`${label} carries ${missing.join(', ')}`));
    const told = [...wanted, 'traceparent'].filter((each) => isValue(values?.[each]));
    const given = told.map((each) => [each, values[each]]);
    return this.enqueue({ event, peer, name, heard, ...(told.length && { values: Object.fromEntries(given) }) });
  }

  enqueue(said) {
    const entry = { message: { type: 'report', number: ++this.last, ...said } };
    entry.settled = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    this.waiting.set(entry.message.number, entry);
    this.tell();
    const timer = setTimeout(() => entry.reject(new AgentUnavailable(
      `no answer of the agent within ${this.deadline} ms: the message must not leave`,
    )), this.deadline); // it goes on to be told: whether it happened is for the agent to say
    return entry.settled.finally(() => clearTimeout(timer));
  }

  tell() { // as many as may wait for their answers, which come in order
    while (this.ready && this.told < Math.min(this.last, this.done + this.window)) {
      this.say({ ...this.waiting.get(++this.told).message, done: this.done });
    }
  }

  // The connection

  async open() {
    [this.rest, this.ready] = [Buffer.alloc(0), false];
    let token = '';
    try {
      if (!this.place.path && this.tokenFile) token = (await readFile(this.tokenFile, 'utf-8')).trim();
    } catch (error) {
      return this.again(error);
    }
    if (this.closed) return undefined;
    const hello = { type: 'hello', policy: 'block', session: this.session, lost: this.lost, token };
    this.socket = net.connect(this.place, () => this.say(hello));
    this.socket.setTimeout(GREETING, () => this.ready || this.socket.destroy());
    this.socket.on('data', (data) => this.heard(data));
    this.socket.on('error', (error) => { this.trouble = error.message; }); // `close` follows
    return this.socket.on('close', () => this.again());
  }

  again(error) {
    this.ready = false;
    if (error) this.trouble = error.message;
    if (this.closed) return;
    const pause = PAUSES[Math.min(this.failures++, PAUSES.length - 1)];
    setTimeout(() => this.closed || this.open(), pause * (0.5 + Math.random() / 2));
  }

  say(message) {
    const body = Buffer.from(JSON.stringify(message));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    this.socket.write(Buffer.concat([length, body]));
  }

  heard(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (let end; this.rest.length >= 4 && this.rest.length >= (end = 4 + this.rest.readUInt32BE());) {
      [data, this.rest] = [this.rest.subarray(4, end), this.rest.subarray(end)];
      this.take(JSON.parse(data));
    }
  }

  take(message) {
    if (message.type === 'welcome') this.takeWelcome(message);
    else if (message.type === 'clock') this.takeClock(message);
    else if (message.type === 'refused') this.takeRefusal(message);
  }

  takeWelcome({ process: name, session, number, clock, window, labels }) {
    if (this.session ? number < this.done || number > this.last : number > 0) {
      this.forget(); // the agent has lost its memory
      this.socket.destroy();
      return;
    }
    Object.assign(this, { name, session, window, labels, ready: true, told: this.done, failures: 0 });
    this.known ||= clock;
    this.lost = 0;
    this.tell();
    this.welcomed(this);
  }

  takeClock({ number, clock }) {
    const entry = this.waiting.get(number);
    if (!entry) return;
    this.known = clock;
    this.waiting.delete((this.done = number));
    entry.resolve(clock);
    this.tell();
  }

  takeRefusal({ number, reason, message }) {
    const entry = this.waiting.get(number);
    this.trouble = `the agent refused: ${reason}: ${message}`;
    if (reason === 'malformed' && entry?.message.heard) entry.message.heard = ''; // nobody can read it
    else if (reason === 'session' || reason === 'number') this.forget();
    else if (reason !== 'closing') this.end(new AgentUnavailable(this.trouble));
    [this.rest] = [Buffer.alloc(0), this.socket.destroy()]; // what else was said is about the same
  }

  /**
   * Begins a new session. Events that the old one may have taken are in doubt: told again they might
   * count twice. Who waits for them goes on once the agent has heard all that was known.
   */
  forget() {
    const doubtful = [...this.waiting.values()];
    const heard = doubtful.map((each) => each.message.heard).filter(Boolean);
    this.restart();
    this.lost += doubtful.filter((each) => !each.reminder).length;
    const reminders = [...new Set([this.known, ...heard])].map((clock) => {
      const told = this.enqueue({ event: 'send', peer: 'env', name: 'reminder', heard: clock });
      this.waiting.get(this.last).reminder = true;
      return told;
    });
    Promise.all(reminders).then(
      (clocks) => doubtful.forEach((each) => each.resolve(clocks.at(-1))),
      (error) => doubtful.forEach((each) => each.reject(error)),
    );
  }

  end(error) {
    this.closed = error;
    this.ready = false;
    this.socket?.end();
    for (const each of this.waiting.values()) each.reject(error);
    this.failed(error);
  }
}

module.exports = { AgentUnavailable, OFF, Process, connect, isName, isValue };
