import { Argument, CommanderError, InvalidArgumentError, Option, Command as Parser } from 'commander';
import type { Command, Flag, Flags, Word } from './command.ts';
import { READERS } from './flag-values.ts';

/** What somebody typed, read: the command and what it is called with, or what to tell them. */
export type ParsedLine =
  | {
      readonly kind: 'call';
      readonly command: Command;
      readonly words: Readonly<Record<string, string>>;
      readonly flags: Flags;
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version'; readonly text: string }
  | { readonly kind: 'wrong'; readonly message: string; readonly helpFor: string };

/** Every command takes these. */
export const SHARED_FLAGS: readonly Flag[] = [
  {
    flag: '--config <file>',
    about: 'the config to use; otherwise ambit.config.ts of this folder or one above',
    completes: 'file',
  },
  { flag: '--json', about: 'machine output: JSON alone on standard output, one document or line' },
  { flag: '--no-color', about: 'no colours; NO_COLOR does the same' },
];

const GROUPS: Readonly<Record<string, string>> = {
  sessions: 'Runs that are in the journal: list, look, go on, stop',
  gates: 'What waits for a person: list, look, decide',
  policy: 'Policies about calls: check, compare',
  store: 'The file of the journal: check, back up, prune, anchor',
  keys: 'Keys with which people sign what they decide',
  switches: 'Kill switches: what nobody sends until somebody lifts them',
  grants: 'What people have permitted in advance',
  vault: 'What is kept sealed for tenants: list, look, erase',
};

export const nameOf = ({ flag }: Flag): string =>
  (flag.match(/--(?:no-)?([a-z-]+)/)?.[1] ?? '').replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads a command line against the table. Nothing is done here, and nothing is printed. */
export function parseLine(commands: readonly Command[], argv: readonly string[], version: string): ParsedLine {
  let found: ParsedLine | null = null;
  let said = '';
  const written = (text: string): void => {
    said += text;
  };
  const parser = programOf(commands, version, written, (line) => {
    found = line;
  });
  try {
    parser.parse(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { kind: 'version', text: version };
    if (error.exitCode === 0 || error.code === 'commander.help') return { kind: 'help', text: said.trimEnd() };
    return { kind: 'wrong', message: error.message.replace(/^error: /, ''), helpFor: groupIn(commands, argv) };
  }
  return found ?? { kind: 'help', text: said.trimEnd() };
}

function programOf(
  commands: readonly Command[],
  version: string,
  writeOut: (text: string) => void,
  found: (line: ParsedLine) => void,
): Parser {
  const program = new Parser('ambit')
    .description('Runs AI agents inside a bound: typed plans, verified steps, human gates, re-derivable decisions.')
    .version(version, '-V, --version', 'the version')
    .helpOption('-h, --help', 'this page, or that of a command')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    // Before the commands are added: they take this over when they are made.
    .configureOutput({ writeOut, writeErr: writeOut })
    .exitOverride();
  const groups = new Map<string, Parser>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    const parent = second === undefined ? program : groupOf(program, groups, first);
    addCommand(parent, second ?? first, command, found);
  }
  program.addHelpText('after', '\nEvery command explains itself: ambit <command> --help');
  return program;
}

function groupOf(program: Parser, groups: Map<string, Parser>, name: string): Parser {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group = program
    .command(name)
    .description(GROUPS[name] ?? '')
    .helpCommand(false)
    .exitOverride();
  groups.set(name, group);
  return group;
}

function addCommand(parent: Parser, name: string, command: Command, found: (line: ParsedLine) => void): void {
  const sub = parent.command(name).description(command.about).exitOverride();
  const words = command.words ?? [];
  for (const word of words) sub.addArgument(argumentOf(word));
  const flags = [...(command.flags ?? []), ...SHARED_FLAGS];
  for (const flag of flags) sub.addOption(optionOf(flag, flags));
  sub.addHelpText('after', examplesOf(command));
  sub.action((...given: readonly unknown[]) => {
    const named = words.flatMap(({ name: word }, at) => (typeof given[at] === 'string' ? [[word, given[at]]] : []));
    found({ kind: 'call', command, words: Object.fromEntries(named), flags: sub.opts() });
  });
}

function argumentOf({ name, about, required, choices }: Word): Argument {
  const argument = new Argument(required ? `<${name}>` : `[${name}]`, about);
  return choices === undefined ? argument : argument.choices(choices);
}

function optionOf(flag: Flag, others: readonly Flag[]): Option {
  const option = new Option(flag.flag, flag.about);
  if (!flag.flag.includes('<')) return option;
  if (flag.choices !== undefined) option.choices(flag.choices);
  return option.argParser<unknown>((given, before) => {
    const value = valueFor(flag, others, given);
    return flag.many === undefined ? value : [...((before as readonly unknown[] | undefined) ?? []), value];
  });
}

/** Every value is held to what its flag takes here, before any command does anything. */
function valueFor({ choices, reads = 'text' }: Flag, others: readonly Flag[], given: string): unknown {
  if (others.some(({ flag }) => flag.split(' ')[0] === given)) {
    throw new InvalidArgumentError(`${given} is an option of its own: a value is missing before it.`);
  }
  if (choices !== undefined && !choices.includes(given)) {
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  }
  const { read, wants } = READERS[reads];
  const value = read(given);
  if (value === undefined) throw new InvalidArgumentError(`It takes ${wants}.`);
  return value;
}

function examplesOf({ examples }: Command): string {
  const width = Math.max(...examples.map(({ line }) => line.length));
  return `\nExamples:\n${examples.map(({ line, about }) => `  ${line.padEnd(width)}  ${about}`).join('\n')}`;
}

/** Whose help page somebody needs who typed something that nobody understands. */
function groupIn(commands: readonly Command[], argv: readonly string[]): string {
  const typed = argv.filter((word) => !word.startsWith('-'));
  for (const length of [2, 1]) {
    const name = typed.slice(0, length).join(' ');
    if (name !== '' && commands.some((command) => command.name === name || command.name.startsWith(`${name} `)))
      return name;
  }
  return '';
}
