import { type Command, EXITS, type Flag } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { SHARED_FLAGS } from '../../src/cli/parse-line.ts';

/** Renders `docs/reference/cli.md` from the command table. */
export function cliPage(): string {
  return [
    '# The command line',
    '',
    'Generated from the command table by `npm run docs:cli`; a test compares the two. The [guide](../how-to/command-line.md)',
    'shows how the commands work together.',
    '',
    '## Exit codes',
    '',
    'A fault exits with the code of its [row](faults.md). The other exit codes are:',
    '',
    '| Exit | Meaning |',
    '|---|---|',
    ...Object.values(EXITS).map(({ exit, meaning }) => `| ${exit} | ${meaning} |`),
    '',
    '## Options of every command',
    '',
    ...flagTable(SHARED_FLAGS),
    '',
    '## Commands',
    ...COMMANDS.flatMap(section),
    '',
  ].join('\n');
}

function section(command: Command): readonly string[] {
  const { name, description, args = [], flags = [], examples } = command;
  const usage = ['ambit', name, ...args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`))].join(' ');
  return [
    '',
    `### \`${usage}\``,
    '',
    `${description}.`,
    ...(args.length === 0
      ? []
      : ['', ...args.map((arg) => `- \`${arg.name}\`: ${arg.description}${listed(arg.choices)}`)]),
    ...(flags.length === 0 ? [] : ['', ...flagTable(flags)]),
    '',
    '```sh',
    ...examples.map((example) => `${example.line}  # ${example.description}`),
    '```',
  ];
}

function flagTable(flags: readonly Flag[]): readonly string[] {
  return [
    '| Option | Description |',
    '|---|---|',
    ...flags.map(
      ({ flag, description, repeatable, choices }) =>
        `| \`${flag}\` | ${description}${listed(choices)}${repeatable === undefined ? '' : '; may be repeated'} |`,
    ),
  ];
}

const listed = (choices: readonly string[] | undefined): string =>
  choices === undefined ? '' : ` (${choices.map((choice) => `\`${choice}\``).join(', ')})`;
