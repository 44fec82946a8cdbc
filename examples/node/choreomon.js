// A client of choreomon agents for Node.js, without dependencies: docs/agent-protocol.md.
// Policy `block`: what was not answered is told again when the agent is back, and counts once.
const net = require('node:net');

const hex = (text) => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '~$&');
const word = (name) => name.replace(/^\W|[^\w.-]/gu, hex);
const ofWord = (text) => { try { return decodeURIComponent(text.replaceAll('~', '%')); } catch { return ''; } };
const written = (name) => (/^\w[\w.-]*$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`);

exports.Process = class Process {
  static connect(path) { return new Promise((resolve, reject) => new Process(path, resolve, reject)); }

  constructor(path, welcomed, failed) {
    Object.assign(this, { path, welcomed, failed, session: '', last: 0, done: 0, waiting: new Map() }).open();
  }
  // Before a message leaves: the text that is to travel with it. `values`: those that it carries, as { order: 'A-17' }.
  async sending(to, name, values) {
    return `1/${word(this.name)}/${word(name)}/${await this.report('send', to, name, '', values)}`;
  }
  // Before a message is handled: `carried` is what came with it; one from outside, with nothing, has a `name`.
  async handling(carried, name, values) {
    const read = /^1\/([\w~][\w.~-]{0,2399})\/([\w~][\w.~-]{0,2399})\/([\w-]{0,4096})$/.exec(carried);
    const [sender, named, clock] = read ? [ofWord(read[1]), ofWord(read[2]), read[3]] : ['env', name, ''];
    if (sender && named) await this.report('handle', sender, named, clock, values);
  }
  close() { this.closed = true; this.say({ type: 'goodbye' }); this.socket.end(); }

  report(event, peer, name, heard, values) {
    const [me, other, what] = [this.name, peer, name].map(written);
    const label = `${event === 'send' ? `${me} -> ${other}` : `handle ${other} -> ${me}`} : ${what}`;
    const carries = this.labels.find((each) => each.startsWith(`${label}(`))?.slice(label.length + 1, -1);
    const missing = carries?.split(', ').filter((each) => !(each in (values ?? {}))) ?? [];
    if (missing.length) return Promise.reject(new Error(`${label} carries ${missing.join(', ')}`));
    const message = { type: 'report', number: ++this.last, event, peer, name, heard, values };
    return new Promise((resolve, reject) => {
      this.waiting.set(message.number, { message, resolve, reject }), this.tell();
    });
  }
  tell() { // as many as may wait for their answers, which come in order
    while (this.ready && this.told < Math.min(this.last, this.done + this.window))
      this.say({ ...this.waiting.get(++this.told).message, done: this.done });
  }
  open() {
    [this.rest, this.ready] = [Buffer.alloc(0), false];
    this.socket = net.connect(this.path, () => this.say({ type: 'hello', policy: 'block', session: this.session }));
    this.socket.on('data', (data) => this.heard(data)).on('error', () => {}); // `close` follows
    this.socket.on('close', () => { this.ready = false; setTimeout(() => this.closed || this.open(), 250); });
  }
  say(message) {
    const body = Buffer.from(JSON.stringify(message));
    this.socket.write(Buffer.concat([Buffer.from(body.length.toString(16).padStart(8, '0'), 'hex'), body]));
  }
  heard(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (let end; this.rest.length >= 4 && this.rest.length >= (end = 4 + this.rest.readUInt32BE());) {
      [data, this.rest] = [this.rest.subarray(4, end), this.rest.subarray(end)];
      this.take(JSON.parse(data));
    }
  }
  take({ type, process, session, number, clock, window, labels, reason, message }) {
    if (type === 'welcome') {
      Object.assign(this, { name: process, session, window, labels, ready: true, told: this.done });
      this.tell();
      this.welcomed(this);
    } else if (type === 'clock' && this.waiting.has(number)) {
      this.waiting.get(number).resolve(clock);
      this.waiting.delete(this.done = number);
      this.tell();
    } else if (reason === 'malformed' && this.waiting.get(number)?.message.heard) {
      this.waiting.get(number).message.heard = ''; // a clock that nobody can read: told again without it
      [this.rest] = [Buffer.alloc(0), this.socket.destroy()]; // what else was said is about the same
    } else if (type === 'refused') { // the agent takes nothing more from this client
      const error = new Error(`the agent refused: ${message}`);
      [this.closed, this.report] = [true, () => Promise.reject(error)];
      for (const { reject } of [...this.waiting.values(), { reject: this.failed }]) reject(error);
    }
  }
};
