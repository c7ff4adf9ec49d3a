import { CommanderError, InvalidArgumentError, Option, Command as Parser, Argument as ParserArgument } from 'commander';
import type { Json } from '../index.ts';
import type { Argument, Command, Flag, Flags, ValueKind } from './command.ts';

/** A parsed command line: a call to run, or a text to print. */
export type ParsedLine =
  | {
      readonly kind: 'call';
      readonly command: Command;
      readonly args: Readonly<Record<string, string>>;
      readonly flags: Flags;
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version'; readonly text: string }
  | { readonly kind: 'invalid'; readonly message: string; readonly helpFor: string };

/** The options of every command. */
export const SHARED_FLAGS: readonly Flag[] = [
  {
    flag: '--config <file>',
    description: 'config file (default: the nearest ambit.config.ts in this folder or above)',
    completion: 'file',
  },
  { flag: '--json', description: 'print only JSON on standard output: one document, or one per line' },
  { flag: '--no-color', description: 'disable colors; the same as NO_COLOR=1' },
];

const GROUPS: Readonly<Record<string, string>> = {
  sessions: 'List, inspect, resume and stop sessions',
  threads: 'List, read and export the conversations of users',
  gates: 'List, inspect and decide approval gates',
  plan: 'Verify a plan without a run',
  policy: 'Check and compare policies for tool calls',
  store: 'Check, back up, prune and anchor the journal file',
  keys: 'Create, list and revoke the signing keys of approvers',
  switches: 'Block a tenant, agent or tool until the block is lifted',
  grants: 'Approve tool calls in advance',
  vault: 'List, reveal and erase sealed values',
};

/** Parses a command line against the command table. It runs no command and prints nothing. */
export function parseLine(commands: readonly Command[], argv: readonly string[], version: string): ParsedLine {
  let found: ParsedLine | null = null;
  let output = '';
  const write = (text: string): void => {
    output += text;
  };
  const parser = buildProgram(commands, version, write, (line) => {
    found = line;
  });
  try {
    parser.parse(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { kind: 'version', text: version };
    if (error.exitCode === 0 || error.code === 'commander.help') return { kind: 'help', text: output.trimEnd() };
    const message = error.message.replace(/^error: /, '');
    const hint = error.code === 'commander.unknownCommand' ? suggestGroup(commands, argv[0] ?? '') : '';
    return { kind: 'invalid', message: `${message}${hint}`, helpFor: findHelpTopic(commands, argv) };
  }
  return found ?? { kind: 'help', text: output.trimEnd() };
}

function buildProgram(
  commands: readonly Command[],
  version: string,
  write: (text: string) => void,
  found: (line: ParsedLine) => void,
): Parser {
  const program = new Parser('ambit')
    .description('Run AI agents inside a bound: typed plans, verified steps, human gates, re-derivable decisions.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help for ambit or a command')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    // Commands copy these settings when they are added, so the settings come first.
    .configureOutput({ writeOut: write, writeErr: write })
    .exitOverride();
  const groups = new Map<string, Parser>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    const parent = second === undefined ? program : ensureGroup(program, groups, first);
    addCommand(parent, second ?? first, command, found);
  }
  program.addHelpText('after', '\nRun ambit <command> --help for the options and examples of a command.');
  return program;
}

function ensureGroup(program: Parser, groups: Map<string, Parser>, name: string): Parser {
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
  const sub = parent.command(name).description(command.description).exitOverride();
  const declared = command.args ?? [];
  for (const each of declared) sub.addArgument(buildArgument(each));
  const flags = [...(command.flags ?? []), ...SHARED_FLAGS];
  for (const flag of flags) sub.addOption(buildOption(flag, flags));
  sub.addHelpText('after', renderExamples(command));
  sub.action((...values: readonly unknown[]) => {
    const args = declared.flatMap(({ name: key }, at) => (typeof values[at] === 'string' ? [[key, values[at]]] : []));
    found({ kind: 'call', command, args: Object.fromEntries(args), flags: sub.opts() });
  });
}

function buildArgument({ name, description, required, choices }: Argument): ParserArgument {
  const built = new ParserArgument(required ? `<${name}>` : `[${name}]`, description);
  return choices === undefined ? built : built.choices(choices);
}

function buildOption(flag: Flag, others: readonly Flag[]): Option {
  const option = new Option(flag.flag, flag.description);
  if (!flag.flag.includes('<')) return option;
  if (flag.choices !== undefined) option.choices(flag.choices);
  return option.argParser<unknown>((text, before) => {
    const value = parseValue(flag, others, text);
    return flag.repeatable === undefined ? value : [...((before as readonly unknown[] | undefined) ?? []), value];
  });
}

/** Checks the value of an option while the line is parsed, so that no command starts with an invalid value. */
function parseValue({ choices, valueKind = 'text' }: Flag, others: readonly Flag[], text: string): unknown {
  if (others.some(({ flag }) => flag.split(' ')[0] === text)) {
    throw new InvalidArgumentError(`${text} is another option: the value before it is missing.`);
  }
  if (choices !== undefined && !choices.includes(text)) {
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  }
  const { read, expected } = VALUE_READERS[valueKind];
  const value = read(text);
  if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
  return value;
}

function renderExamples({ examples }: Command): string {
  const width = Math.max(...examples.map(({ line }) => line.length));
  return `\nExamples:\n${examples.map(({ line, description }) => `  ${line.padEnd(width)}  ${description}`).join('\n')}`;
}

/** The commands of groups with the name of an unknown command: `ambit gates approve` for `approve`. */
function suggestGroup(commands: readonly Command[], typed: string): string {
  const found = commands.map(({ name }) => name).filter((name) => name.endsWith(` ${typed}`));
  return found.length === 0 ? '' : `\n(Did you mean ${found.join(' or ')}?)`;
}

/** Finds the command or group whose help page matches an invalid line; '' for the program itself. */
function findHelpTopic(commands: readonly Command[], argv: readonly string[]): string {
  const typed = argv.filter((word) => !word.startsWith('-'));
  for (const length of [2, 1]) {
    const name = typed.slice(0, length).join(' ');
    if (name !== '' && commands.some((command) => command.name === name || command.name.startsWith(`${name} `)))
      return name;
  }
  return '';
}

interface ValueReader {
  /** Returns undefined for a value that is not of this kind. */
  readonly read: (text: string) => Json | readonly [name: string, value: Json] | undefined;
  /** Completes the message "Expected …". */
  readonly expected: string;
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000 };

/** The parsers of option values. They run while the line is parsed, before any command starts. */
const VALUE_READERS: Readonly<Record<ValueKind, ValueReader>> = {
  count: {
    read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
    expected: 'a positive integer, such as 5',
  },
  /** A duration in milliseconds. */
  time: {
    read: (text) => {
      const { count, unit = '' } = /^(?<count>\d{1,6})(?<unit>d|h|min)$/.exec(text)?.groups ?? {};
      const ms = UNITS[unit];
      return count === undefined || ms === undefined ? undefined : Number(count) * ms;
    },
    expected: 'a duration, such as 90d, 12h or 30min',
  },
  cursor: {
    read: (text) => (/^\d{1,15}\.\d{1,15}$/.test(text) ? text : undefined),
    expected: 'an event cursor from sessions watch --json, such as 3.1',
  },
  /** Valid JSON becomes that value; everything else stays text. */
  assignment: {
    read: (text) =>
      parseAssignment(text, (value) => {
        const json = parseJson(value);
        return json === undefined ? value : json;
      }),
    expected: 'name=value, such as order_id=ord_881',
  },
  amount: {
    read: (text) =>
      parseAssignment(text, (value) => {
        const amount = parseJson(value);
        return typeof amount === 'number' && amount > 0 ? amount : undefined;
      }),
    expected: 'a budget dimension and an increment, such as tool_calls=5',
  },
  json: { read: parseJson, expected: `JSON, such as '{"receipt":"r_1"}'` },
  text: { read: (text) => (text.trim() === '' ? undefined : text), expected: 'a non-empty text' },
};

function parseAssignment(text: string, read: (value: string) => Json | undefined): readonly [string, Json] | undefined {
  const at = text.indexOf('=');
  const value = at < 1 ? undefined : read(text.slice(at + 1));
  return value === undefined ? undefined : [text.slice(0, at), value];
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
