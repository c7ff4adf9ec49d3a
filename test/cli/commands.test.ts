/** Checks every row of the command table: help page, examples, `--json` and unique names. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readGoal } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { parseLine, SHARED_FLAGS } from '../../src/cli/parse-line.ts';
import { splitWords } from './split-words.ts';

/** The name of an option as the parser returns it: `--no-color <when>` is `color`. */
const getFlagName = ({ flag }: { readonly flag: string }): string =>
  (flag.match(/--(?:no-)?([a-z-]+)/)?.[1] ?? '').replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const parse = (words: readonly string[]) => parseLine(COMMANDS, words, '1.2.3');

describe.each(COMMANDS.map((command) => [command.name, command] as const))('%s', (name, command) => {
  test('has a help page with its options and at least one example', () => {
    const page = parse([...name.split(' '), '--help']);
    expect(page.kind).toBe('help');
    if (page.kind !== 'help') return;
    expect(page.text).toContain(`Usage: ambit ${name}`);
    const bare = page.text.replaceAll(/\s+/g, ' ');
    for (const { line, description } of command.examples)
      expect(bare).toContain(`${line} `.concat(description).replaceAll(/\s+/g, ' '));
    for (const { flag } of [...(command.flags ?? []), ...SHARED_FLAGS]) expect(page.text).toContain(flag);
    expect(command.examples.length).toBeGreaterThan(0);
  });

  test('parses its own examples', () => {
    for (const { line } of command.examples) {
      const read = parse(splitWords(line));
      expect(read, line).toMatchObject({ kind: 'call', command: { name } });
    }
  });

  test('loads its action and accepts --json', async () => {
    expect(await command.load()).toBeTypeOf('function');
    const words = (command.args ?? []).filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? 'x');
    expect(parse([...name.split(' '), ...words, '--json'])).toMatchObject({ kind: 'call', flags: { json: true } });
  });

  test('has unique names', () => {
    const flags = [...(command.flags ?? []), ...SHARED_FLAGS].map(getFlagName);
    expect(new Set(flags).size).toBe(flags.length);
    expect(COMMANDS.filter((other) => other.name === name)).toHaveLength(1);
  });
});

test.each([
  ['approve', 'gates approve'],
  ['resume', 'sessions resume'],
  ['list', 'sessions list or ambit gates list'],
])('suggests the group of the unknown command %s', (typed, command) => {
  const line = parse([typed, 'x']);
  const message = line.kind === 'invalid' ? line.message.split('\n') : [];
  expect(message[0]).toBe(`unknown command '${typed}'`);
  expect(message[1]).toContain('Did you mean');
  for (const name of command.split(' or ')) expect(message[1]).toContain(name.replace('ambit ', ''));
});

test('describes every group of commands', () => {
  const page = parse(['--help']);
  const groups = new Set(
    COMMANDS.map(({ name }) => name.split(' ')).flatMap(([first, second]) => (second === undefined ? [] : [first])),
  );
  for (const group of groups)
    expect(page.kind === 'help' ? page.text : '').toMatch(new RegExp(`^  ${group} +[A-Z]`, 'mu'));
});

test('the message of a request has the name of the API and of the command line', () => {
  for (const flag of ['--goal', '--message']) {
    const line = parse(['run', flag, 'Refund it']);
    expect(line.kind === 'call' ? readGoal(line.flags) : null).toBe('Refund it');
  }
});

describe('an invalid option value is rejected before the command runs', () => {
  const COUNT = 'Expected a positive integer, such as 5.';
  test.each([
    ['serve --concurrency x', "'--concurrency <n>' argument 'x'", COUNT],
    ['serve --concurrency 0', "'--concurrency <n>' argument '0'", COUNT],
    ['sessions list --limit x', "'--limit <n>' argument 'x'", COUNT],
    ['sessions list --limit -5', "'--limit <n>' argument '-5'", COUNT],
    ['sessions list --limit 1.5', "'--limit <n>' argument '1.5'", COUNT],
    ['keys new k --days soon', "'--days <n>' argument 'soon'", COUNT],
    [
      'sessions list --status foo',
      "'--status <status>' argument 'foo'",
      'Allowed choices are in_progress, awaiting_gate',
    ],
    ['sessions list --status paused --status foo', "argument 'foo'", 'rejected, cancelled.'],
    [
      'sessions watch r --after then',
      "'--after <cursor>' argument 'then'",
      'Expected an event cursor from sessions watch --json, such as 3.1.',
    ],
    [
      'sessions extend r --add tool_calls=-5',
      "'--add <dimension=n>' argument 'tool_calls=-5'",
      'Expected a budget dimension and an increment, such as tool_calls=5.',
    ],
    [
      'sessions extend r --add tool_calls',
      "'--add <dimension=n>'",
      'Expected a budget dimension and an increment, such as tool_calls=5.',
    ],
    [
      'store prune --older-than 90',
      "'--older-than <time>' argument '90'",
      'Expected a duration, such as 90d, 12h or 30min.',
    ],
    [
      'run --input order_id',
      "'--input <name=value>' argument 'order_id'",
      'Expected name=value, such as order_id=ord_881.',
    ],
    ['gates edit g --set =5', "'--set <name=value>' argument '=5'", 'Expected name=value, such as order_id=ord_881.'],
    [
      'run --goal --yes',
      "'--goal <text>' argument '--yes'",
      '--yes is another option: the value before it is missing.',
    ],
  ])('%s', (line, option, expected) => {
    const { message } = parse(line.split(' ')) as { readonly message: string };
    expect(message).toContain(option);
    expect(message).toContain(expected);
  });

  test('rejects a blank text', () => {
    expect(parse(['run', '--goal', ' '])).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('Expected a non-empty text.'),
    });
  });

  test('parses numbers and assignments', () => {
    const line = 'run --input order_id=ord_881 --input amount=42 --input note=null --input list=[1]';
    expect(parse(line.split(' '))).toMatchObject({
      flags: {
        input: [
          ['order_id', 'ord_881'],
          ['amount', 42],
          ['note', null],
          ['list', [1]],
        ],
      },
    });
    expect(parse(['sessions', 'list', '--limit', '5'])).toMatchObject({ flags: { limit: 5 } });
    expect(parse(['store', 'prune', '--older-than', '2h'])).toMatchObject({ flags: { olderThan: 7_200_000 } });
  });

  test('every <n> is a count and every <name=value> an assignment', () => {
    const shapes: Readonly<Record<string, string>> = { '<n>': 'count', '<name=value>': 'assignment' };
    const flags = COMMANDS.flatMap((command) => command.flags ?? []);
    for (const { flag, valueKind } of flags)
      expect(valueKind ?? 'text', flag).toBe(shapes[flag.split(' ')[1] ?? ''] ?? valueKind ?? 'text');
  });
});

describe('an invalid line', () => {
  test.each([
    [['rnu'], "unknown command 'rnu'\n(Did you mean run?)", ''],
    [['gates', 'aprove', 'g'], "unknown command 'aprove'\n(Did you mean approve?)", 'gates'],
    [['run', '--gaol', 'x'], "unknown option '--gaol'\n(Did you mean --goal?)", 'run'],
    [['gates', 'show'], "missing required argument 'gate'", 'gates show'],
    [['graph', '--format', 'png'], "option '--format <format>' argument 'png' is invalid", 'graph'],
    [['sessions', 'decide', 'r', 'maybe'], 'Allowed choices are continue, finalize, terminate', 'sessions decide'],
  ])('%j is rejected with a message and a help topic', (line, message, helpFor) => {
    expect(parse(line)).toMatchObject({ kind: 'invalid', message: expect.stringContaining(message), helpFor });
  });
});

test('an empty line and a group print their help', () => {
  expect(parse([])).toMatchObject({ kind: 'help', text: expect.stringContaining('doctor') });
  expect(parse(['gates'])).toMatchObject({ kind: 'help', text: expect.stringContaining('approve') });
  expect(parse(['--version'])).toMatchObject({ kind: 'version', text: '1.2.3' });
});

/** Collects the files that a file loads through static imports, without type imports. */
function collectImports(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(new URL(file), 'utf8');
  for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*? from '(\.[^']+)';/gm)) {
    collectImports(new URL(from, file).href, seen);
  }
  return seen;
}

test('help does not load the runtime', () => {
  const loaded = collectImports(new URL('../../src/cli/run-cli.ts', import.meta.url).href);
  expect(loaded.size).toBeGreaterThan(8);
  expect([...loaded].filter((file) => !file.includes('/src/cli/'))).toEqual([]);
  expect([...loaded].filter((file) => file.includes('/actions/'))).toEqual([]);
});
