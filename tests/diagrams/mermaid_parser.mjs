// What Mermaid's own parser makes of each text of a JSON list on standard input: what is wrong, "" for
// nothing, and the messages that it found, each with the names that are shown of its ends. The first
// argument is the folder with Mermaid's packages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const { JSDOM } = require('jsdom');
const page = new JSDOM('<body></body>').window;
globalThis.window = page;
globalThis.document = page.document;
const { default: mermaid } = await import(pathToFileURL(require.resolve('mermaid')));

// Until it draws them, Mermaid keeps signs that are written by their codes in another form.
const shown = (text) => text.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(code));
// By Mermaid's numbers of them: solid and dotted ones with heads, crosses, no heads, and points.
const ARROWS = { 0: '->>', 1: '-->>', 3: '-x', 4: '--x', 5: '->', 6: '-->', 24: '-)', 25: '--)' };

const found = [];
for (const text of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const { diagramType } = await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const name = (id) => shown(db.getActor(id).description);
    const messages = db
      .getMessages()
      .filter(({ type }) => type in ARROWS)
      .map(({ type, from, message, to }) => [name(from), ARROWS[type], shown(message), name(to)]);
    found.push({ wrong: diagramType === 'sequence' ? '' : diagramType, messages });
  } catch (error) {
    found.push({ wrong: String(error.message) || 'is refused', messages: [] });
  }
}
process.stdout.write(JSON.stringify(found));
