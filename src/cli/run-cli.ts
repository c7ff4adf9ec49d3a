import { type Call, readTextFlag } from './command.ts';
import { COMMANDS } from './commands/table.ts';
import { readPackageVersion } from './own-package.ts';
import { parseLine } from './parse-line.ts';
import { createPaint, openTerminal, type Streams } from './terminal/terminal.ts';

/** The exit code of a command line that cannot be parsed, the same as of `input_invalid`. */
const USAGE_EXIT = 2;

/** Runs a command line. Returns the exit code of the process. */
export async function runCli(argv: readonly string[], streams: Streams): Promise<number> {
  const [first, ...typed] = argv;
  if (first === '__complete') return await printCandidates(typed, streams);
  const line = parseLine(COMMANDS, argv, readPackageVersion());
  const isJson = argv.includes('--json');
  if (line.kind === 'help' || line.kind === 'version') {
    streams.output.write(`${isJson ? JSON.stringify({ [line.kind]: line.text }) : line.text}\n`);
    return 0;
  }
  if (line.kind === 'invalid') {
    const help = ['ambit', line.helpFor, '--help'].filter((part) => part !== '').join(' ');
    const error = { code: 'input_invalid', message: line.message, fix: help };
    streams.errors.write(isJson ? `${JSON.stringify({ error })}\n` : `ambit: ${line.message}\nSee: ${help}\n`);
    return USAGE_EXIT;
  }
  const { command, args, flags } = line;
  if (flags['color'] === false) disableColors();
  const terminal = openTerminal(streams, flags['json'] === true);
  const call: Call = { args, flags, terminal, configFile: readTextFlag(flags, 'config') };
  try {
    return await (await command.load())(call);
  } catch (error) {
    return await printError(error, args, streams, terminal.isJson);
  }
}

/** Makes `--no-color` win over `FORCE_COLOR`, which Node.js prefers to `NO_COLOR`. */
function disableColors(): void {
  delete process.env['FORCE_COLOR'];
  process.env['NO_COLOR'] = '1';
}

async function printCandidates(typed: readonly string[], { output }: Streams): Promise<number> {
  const { completeLine } = await import('./actions/completion.ts');
  const found = await completeLine(COMMANDS, typed);
  if (found.length > 0) output.write(`${found.join('\n')}\n`);
  return 0;
}

async function printError(error: unknown, args: Call['args'], { errors }: Streams, isJson: boolean): Promise<number> {
  const { explainError, renderExplanation } = await import('./explain-error.ts');
  const { exit, ...explanation } = explainError(error, args);
  errors.write(
    `${isJson ? JSON.stringify({ error: explanation }) : renderExplanation({ exit, ...explanation }, createPaint(errors))}\n`,
  );
  return exit;
}
