import type { Call } from './command.ts';
import { textOf } from './command.ts';
import { COMMANDS } from './commands/table.ts';
import { parseLine } from './parse-line.ts';
import { openTerminal, paintFor, type Streams } from './terminal/terminal.ts';
import { packageVersion } from './version.ts';

/** The exit of a line that cannot be read: the same as of any other input that has to be changed. */
const USAGE = 2;

/** Does what a command line says. Answers with the code that the process ends with. */
export async function cli(argv: readonly string[], streams: Streams): Promise<number> {
  const [first, ...typed] = argv;
  if (first === '__complete') return await offer(typed, streams);
  const line = parseLine(COMMANDS, argv, packageVersion());
  const json = argv.includes('--json');
  if (line.kind === 'help' || line.kind === 'version') {
    streams.output.write(`${json ? JSON.stringify({ [line.kind]: line.text }) : line.text}\n`);
    return 0;
  }
  if (line.kind === 'wrong') {
    const help = ['ambit', line.helpFor, '--help'].filter((part) => part !== '').join(' ');
    const error = { code: 'input_invalid', message: line.message, fix: help };
    streams.errors.write(json ? `${JSON.stringify({ error })}\n` : `ambit: ${line.message}\nSee: ${help}\n`);
    return USAGE;
  }
  const { command, words, flags } = line;
  if (flags['color'] === false) withoutColours();
  const terminal = openTerminal(streams, flags['json'] === true);
  const call: Call = { words, flags, terminal, configFile: textOf(flags, 'config') };
  try {
    return await (await command.load())(call);
  } catch (error) {
    return await refuse(error, words, streams, terminal.json);
  }
}

/** Node.js lets `FORCE_COLOR` win over `NO_COLOR`; what is typed wins over both. */
function withoutColours(): void {
  delete process.env['FORCE_COLOR'];
  process.env['NO_COLOR'] = '1';
}

async function offer(typed: readonly string[], { output }: Streams): Promise<number> {
  const { complete } = await import('./complete.ts');
  const found = await complete(typed);
  if (found.length > 0) output.write(`${found.join('\n')}\n`);
  return 0;
}

async function refuse(error: unknown, typed: Call['words'], { errors }: Streams, json: boolean): Promise<number> {
  const { explain, explainedView } = await import('./explain-fault.ts');
  const { exit, ...explained } = explain(error, typed);
  errors.write(
    `${json ? JSON.stringify({ error: explained }) : explainedView({ exit, ...explained }, paintFor(errors))}\n`,
  );
  return exit;
}
