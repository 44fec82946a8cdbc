'use strict';
// A client of choreomon agents for Node.js, without dependencies: docs/agent-protocol.md.
// Policy `block`: what was not answered is told again when the agent is back, and counts once.
const net = require('node:net');

exports.Process = class Process {
  static connect(path) { return new Promise((resolve, reject) => new Process(path, resolve, reject)); }

  constructor(path, welcomed, failed) {
    Object.assign(this, { path, welcomed, failed, name: '', session: '', last: 0, waiting: new Map() });
    this.open();
  }
  // Before a message leaves: the text that is to travel with it.
  async sending(to, name) { return `1/${this.name}/${name}/${await this.report('send', to, name, '')}`; }
  // Before a message is handled: `carried` is what came with it; a message from outside has a `name`.
  async handling(carried, name) {
    const [version, sender, named, clock] = carried ? carried.split('/') : ['1', 'env', name, ''];
    if (version !== '1') throw new Error(`a clock of version ${version}; this client knows version 1`);
    await this.report('handle', sender, named, clock);
  }
  close() { this.closed = true; this.say({ type: 'goodbye' }); this.socket.end(); }

  report(event, peer, name, heard) {
    const number = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { message: { type: 'report', number, event, peer, name, heard }, resolve, reject });
      if (this.ready) this.tell(number);
    });
  }
  tell(number) { // answers come in order, so all before the oldest that waits is done
    this.say({ ...this.waiting.get(number).message, done: this.waiting.keys().next().value - 1 });
  }
  open() {
    [this.rest, this.ready] = [Buffer.alloc(0), false];
    this.socket = net.connect(this.path, () => this.say({ type: 'hello', policy: 'block', session: this.session }));
    this.socket.on('data', (data) => this.heard(data)).on('error', () => {}); // `close` follows
    this.socket.on('close', () => { this.ready = false; if (!this.closed) setTimeout(() => this.open(), 250); });
  }
  say(message) {
    const [length, body] = [Buffer.alloc(4), Buffer.from(JSON.stringify(message))];
    length.writeUInt32BE(body.length);
    this.socket.write(Buffer.concat([length, body]));
  }
  heard(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (let end; this.rest.length >= 4 && this.rest.length >= (end = 4 + this.rest.readUInt32BE());) {
      const message = JSON.parse(this.rest.subarray(4, end));
      this.rest = this.rest.subarray(end);
      this.take(message);
    }
  }
  take({ type, process, session, number, clock, message }) {
    if (type === 'welcome') {
      Object.assign(this, { name: process, session, ready: true });
      for (const each of this.waiting.keys()) this.tell(each);
      this.welcomed(this);
    } else if (type === 'clock' && this.waiting.has(number)) {
      const { resolve } = this.waiting.get(number);
      this.waiting.delete(number);
      resolve(clock);
    } else if (type === 'refused') { // the agent takes nothing more from this client
      const error = new Error(`the agent refused: ${message}`);
      this.closed = true;
      for (const { reject } of [...this.waiting.values(), { reject: this.failed }]) reject(error);
    }
  }
};
