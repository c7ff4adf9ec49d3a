/**
 * `npm run check:answers`: puts labelled sentences through the release check, and counts right sentences that it refuses
 * and wrong ones that it releases.
 */
import { readdirSync } from 'node:fs';
import { tallyShipped } from './answers/shipped.ts';
import { type AnswerCase, type Rulings, readAnswerCases, tallyAnswers } from './answers/tally.ts';
import { optionsOf } from './command-line/read-options.ts';

const HELP = `Puts labelled sentences through the release check, without a model and without a judge.

Usage: npm run check:answers [-- options]

  --data FILE  cases, one JSON object per line, may be gzipped; by default the cases of the project. A case has a
               request, facts (ref, tool, value and the optional pointers hidden, untrusted, complete) and sentences
               (text, refs, supported, kind).
  --list       print the right sentences that were refused and the wrong ones that were released, with the reason
  --json       print the counts as one line of JSON at the end
  --help       print this help

Examples:
  npm run check:answers
  npm run check:answers -- --data cases.jsonl --list
  npm run --silent check:answers -- --json | tail -n 1`;

const options = optionsOf({
  name: 'npm run check:answers',
  help: HELP,
  flags: {
    data: { type: 'string' },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const FIXTURES = new URL('../test/fixtures/answers/', import.meta.url).pathname;
const files = options.data === undefined ? readdirSync(FIXTURES).map((name) => FIXTURES + name) : [options.data];
const cases: AnswerCase[] = [];
for (const file of files) {
  const read = readAnswerCases(file);
  if (typeof read === 'string') {
    console.error(
      `npm run check:answers: --data needs a file with answer cases, one JSON object per line at ${file}: ${read}; see --help`,
    );
    process.exit(2);
  }
  cases.push(...read);
}

const { tally, mistakes } = tallyAnswers(cases);
if (options.list)
  for (const { id, ruling, text, reason } of mistakes) console.log(`${id}: ${ruling}: ${text} (${reason})`);
const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
const row = (name: string, { released, not_provable, refused }: Rulings): string => {
  const all = released + not_provable + refused;
  return `${name.padEnd(22)}${share(released, all).padStart(9)}${share(not_provable, all).padStart(14)}${share(refused, all).padStart(9)}${String(all).padStart(7)}`;
};
console.log(
  `${'sentences'.padEnd(22)}${'released'.padStart(9)}${'not provable'.padStart(14)}${'refused'.padStart(9)}${'all'.padStart(7)}`,
);
for (const [kind, rulings] of Object.entries(tally.by_kind).sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(row(kind, rulings));
console.log(row('right', tally.supported));
console.log(row('wrong', tally.unsupported));
const shipped = options.data === undefined ? tallyShipped() : null;
if (shipped !== null)
  console.log(
    `Scripts of the demo and the examples: ${shipped.released} of ${shipped.sentences} sentences are provable.`,
  );
if (options.json) console.log(JSON.stringify(shipped === null ? tally : { ...tally, shipped }));
