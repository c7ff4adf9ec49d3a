import type { Command, Flag } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { EXITS } from '../../src/cli/exit-codes.ts';
import { SHARED_FLAGS } from '../../src/cli/parse-line.ts';

/** `docs/reference/cli.md`, from the table that the command line itself reads. */
export function cliPage(): string {
  return [
    '# The command line',
    '',
    'Made of the table of commands by `npm run docs:cli`, and compared with it by a test. The way through it is in the',
    '[guide](../guides/cli.md).',
    '',
    '## Exit codes',
    '',
    'Where something is refused, the exit is that of its [fault](faults.md). Besides those there are:',
    '',
    '| Exit | What it means |',
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
  const { name, about, words = [], flags = [], examples } = command;
  const usage = ['ambit', name, ...words.map((word) => (word.required ? `<${word.name}>` : `[${word.name}]`))].join(
    ' ',
  );
  const choices = words.filter((word) => word.choices !== undefined);
  return [
    '',
    `### \`${usage}\``,
    '',
    `${about}.`,
    ...(words.length === 0
      ? []
      : [
          '',
          ...words.map(
            (word) => `- \`${word.name}\`: ${word.about}${listed(choices.includes(word) ? word.choices : undefined)}`,
          ),
        ]),
    ...(flags.length === 0 ? [] : ['', ...flagTable(flags)]),
    '',
    '```sh',
    ...examples.map(({ line, about: what }) => `${line}  # ${what}`),
    '```',
  ];
}

function flagTable(flags: readonly Flag[]): readonly string[] {
  return [
    '| Option | What it does |',
    '|---|---|',
    ...flags.map(
      ({ flag, about, many, choices }) =>
        `| \`${flag}\` | ${about}${listed(choices)}${many === undefined ? '' : '; may be repeated'} |`,
    ),
  ];
}

const listed = (choices: readonly string[] | undefined): string =>
  choices === undefined ? '' : ` (${choices.map((choice) => `\`${choice}\``).join(', ')})`;
