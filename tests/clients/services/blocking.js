// Sends so many messages, one after the other, without ever waiting for a promise.
const { connectBlocking } = require(process.argv[2]);
const [deadline, count] = process.argv.slice(3).map(Number);
const shop = connectBlocking('run/agent.sock', { deadline });
const { writeSync } = require('node:fs');
for (let n = 0; n < count; n++) {
  let answer;
  try {
    answer = shop.sending('courier', 'parcel');
  } catch (error) {
    answer = error.name;
  }
  writeSync(1, `${answer}\n`);
}
shop.handling(undefined, 'order');
shop.close();
