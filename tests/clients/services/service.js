// Does what it is told by lines of its standard input, and answers each with a line.
const { connect } = require(process.argv[2]);
const lines = require('node:readline').createInterface({ input: process.stdin });
let shop, waiting = [], answers = [];
const commands = {
  async connect(deadline) { shop = await connect('run/agent.sock', { deadline: Number(deadline) }); },
  send(count) {
    for (let n = 0; n < count; n++) waiting.push(shop.sending('courier', 'parcel'));
  },
  handle(...headers) {
    for (const header of headers) waiting.push(shop.handling(header, 'order'));
  },
  async order(value) {
    const told = shop.sending('courier', 'parcel', value && { order: value, size: 'of no matter' });
    await told.catch((error) => answers.push(error.message));
  },
  async named(name) {
    await shop.sending('courier', decodeURIComponent(name)).catch((error) => answers.push(error.message));
  },
  deaf() { shop.socket.pause(); },
  cut() { shop.socket.destroy(); },
  async all() {
    for (const each of await Promise.allSettled(waiting.splice(0))) {
      answers.push(each.reason ? `failed: ${each.reason.message}` : (each.value ?? ''));
    }
  },
  async close() { await shop.close(); },
};
lines.on('line', async (line) => {
  const [name, ...given] = line.split(' ');
  try {
    await commands[name](...given);
  } catch (error) {
    answers.push(error.message);
  }
  console.log(JSON.stringify({ answers }));
});
