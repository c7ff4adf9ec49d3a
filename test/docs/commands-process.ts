/** Runs command lines one after the other in the current folder, in one process, and prints their results as JSON. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/cli/run-cli.ts';

const lines = JSON.parse(process.argv[2] ?? '') as readonly (readonly string[])[];
const results: object[] = [];
let printed = '';

/** The ids that the command reference abbreviates, as earlier commands printed them. */
const idOf: Readonly<Record<string, () => string | undefined>> = {
  'run_1f0…': () => runs()[0],
  'run_2c7…': () => runs()[1],
  'switch_1f0…': () => printed.match(/switch_[0-9a-f-]{36}/)?.[0],
};

const runs = (): readonly string[] => [...new Set(printed.match(/\brun_[0-9a-f-]{36}/g))];

const complete = (word: string): string =>
  Object.entries(idOf).reduce((typed, [shown, find]) => typed.replace(shown, find() ?? shown), word);

for (const words of lines) {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end();
  const exit = await runCli(words.map(complete), { input, output, errors } as never);
  output.end();
  errors.end();
  const [stdout, stderr] = [await text(output), await text(errors)];
  printed += stdout;
  results.push({ exit, output: `${stdout}${stderr}` });
}
process.stdout.write(JSON.stringify(results), () => process.exit());
