/** Runs random command lines in this folder and prints, as JSON, those that end in anything but an exit code and a fault. */
import { PassThrough } from 'node:stream';
import type { Command } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { diceOf } from '../adversarial/dice.ts';

const [first = '1', count = '1'] = process.argv.slice(2);

/** The commands that end by themselves. */
const ENDING = COMMANDS.filter(({ name }) => name !== 'dev' && name !== 'serve' && !name.endsWith('watch'));

/** The flag of a declaration such as `--goal <text>`. */
const flagsOf = ({ flags = [] }: Command): readonly string[] => flags.map(({ flag }) => flag.split(' ')[0] ?? '');
const JUNK = [
  '',
  ' ',
  '-',
  '--',
  '---',
  '=',
  '--=x',
  '--json=',
  '--limit=-1',
  '1e999',
  'NaN',
  '__proto__',
  '--__proto__=x',
  '--constructor',
  'run_1',
  'gate_run_1_1',
  'sha256:0',
  '{',
  '[]',
  'null',
  '\u202e',
  '\u0007',
  'é',
  '💥'.repeat(50),
  'x'.repeat(5_000),
  'missing.json',
  '.',
];

interface Written {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => string;
}

function written(): Written {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}

const found: object[] = [];
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  const dice = diceOf(seed);
  const command = dice.pick(ENDING);
  const start = dice.chance(0.9) ? command.name.split(' ') : [dice.pick(JUNK)];
  const flags = flagsOf(command);
  const rest = Array.from({ length: dice.roll(6) }, () =>
    dice.pick(flags.length > 0 && dice.chance(0.5) ? flags : JUNK),
  );
  const line = [...start, ...rest];
  const [output, errors] = [written(), written()];
  const input = new PassThrough();
  input.end();
  try {
    const exit = await runCli(line, {
      input: input as unknown as NodeJS.ReadStream,
      output: output.stream,
      errors: errors.stream,
    });
    const isRaw = /\binternal\b|\n {4}at /u.test(errors.text());
    if (isRaw || !Number.isInteger(exit)) found.push({ seed, line, exit, errors: errors.text().slice(0, 500) });
  } catch (error) {
    found.push({ seed, line, error: String(error) });
  }
}
process.stdout.write(JSON.stringify(found), () => process.exit(0));
