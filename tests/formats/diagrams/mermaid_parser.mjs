// What Mermaid's own parser says of each text of a JSON list on standard input: a list of "" where it
// accepts the text, else of what is wrong. The first argument is the folder with its packages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const { JSDOM } = require('jsdom');
const page = new JSDOM('<body></body>').window;
globalThis.window = page;
globalThis.document = page.document;
const { default: mermaid } = await import(pathToFileURL(require.resolve('mermaid')));

const found = [];
for (const text of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const { diagramType } = await mermaid.parse(text);
    found.push(diagramType === 'sequence' ? '' : `is a diagram of the type ${diagramType}`);
  } catch (error) {
    found.push(String(error.message) || 'is refused');
  }
}
process.stdout.write(JSON.stringify(found));
