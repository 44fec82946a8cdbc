// ShiViz's parser under Node.js: node shiviz_parser.js SHIVIZ LOG ROUNDS PARSER [DELIMITER]
//
// SHIVIZ is a checkout of ShiViz. Its scripts are run in one context, as a page with them would be,
// and the log is parsed as its page does it, ROUNDS times. Prints one JSON object: the events of each
// host, the sum of all entries of clocks, and the milliseconds of each round, of the processor.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [checkout, log, rounds, parser, delimiter] = process.argv.slice(2);
const scripts = ["util/exception", "util/regexp", "model/vectorTimestamp", "model/logEvent", "model/parser"];
const page = vm.createContext({ console });
for (const script of scripts) {
    const file = path.join(checkout, "js", `${script}.js`);
    vm.runInContext(fs.readFileSync(file, "utf-8"), page, file);
}
page.text = fs.readFileSync(log, "utf-8");
page.parser = parser;
page.delimiter = delimiter;
const parse = new vm.Script(`
    new LogParser(
        text, delimiter ? new NamedRegExp(delimiter, "m") : null, new NamedRegExp(parser, "m"))
`);
const milliseconds = [];
const hosts = {};
let entries = 0;
for (let round = 0; round < Number(rounds); round++) {
    const begun = process.cpuUsage();
    const parsed = parse.runInContext(page);
    const spent = process.cpuUsage(begun);
    milliseconds.push((spent.user + spent.system) / 1000);
    if (round > 0) continue;
    for (const label of parsed.getLabels()) {
        for (const event of parsed.getLogEvents(label)) {
            hosts[event.getHost()] = (hosts[event.getHost()] || 0) + 1;
            for (const count of Object.values(event.getVectorTimestamp().getClock())) entries += count;
        }
    }
}
console.log(JSON.stringify({ hosts, entries, milliseconds }));
