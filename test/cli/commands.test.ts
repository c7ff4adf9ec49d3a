/** Proves over the whole table what every command owes: a page with examples that can be typed, and JSON. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { nameOf, parseLine, SHARED_FLAGS } from '../../src/cli/parse-line.ts';

const parsed = (words: readonly string[]) => parseLine(COMMANDS, words, '1.2.3');

/** The words of an example, as a shell would hand them over; what is piped or redirected is the shell's. */
function wordsOf(line: string): readonly string[] {
  const [, typed = ''] = /ambit ([^|>)]*)/.exec(line) ?? [];
  const words = typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return Array.from(words, ([, quoted, exact, plain]) => quoted ?? exact ?? plain ?? '');
}

describe.each(COMMANDS.map((command) => [command.name, command] as const))('%s', (name, command) => {
  test('has a page with what it takes and at least one example', () => {
    const page = parsed([...name.split(' '), '--help']);
    expect(page.kind).toBe('help');
    if (page.kind !== 'help') return;
    expect(page.text).toContain(`Usage: ambit ${name}`);
    const bare = page.text.replaceAll(/\s+/g, ' ');
    for (const { line, about } of command.examples)
      expect(bare).toContain(`${line} `.concat(about).replaceAll(/\s+/g, ' '));
    for (const { flag } of [...(command.flags ?? []), ...SHARED_FLAGS]) expect(page.text).toContain(flag);
    expect(command.examples.length).toBeGreaterThan(0);
  });

  test('understands its own examples', () => {
    for (const { line } of command.examples) {
      const read = parsed(wordsOf(line));
      expect(read, line).toMatchObject({ kind: 'call', command: { name } });
    }
  });

  test('can be loaded, and takes --json', async () => {
    expect(await command.load()).toBeTypeOf('function');
    const words = (command.words ?? []).filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? 'x');
    expect(parsed([...name.split(' '), ...words, '--json'])).toMatchObject({ kind: 'call', flags: { json: true } });
  });

  test('has every name once', () => {
    const flags = [...(command.flags ?? []), ...SHARED_FLAGS].map(nameOf);
    expect(new Set(flags).size).toBe(flags.length);
    expect(COMMANDS.filter((other) => other.name === name)).toHaveLength(1);
  });
});

describe('a value that a flag does not take is refused before anything is opened', () => {
  const COUNT = 'It takes a whole number from 1 on';
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
    ['sessions watch r --after then', "'--after <cursor>' argument 'then'", 'such as 3.1'],
    ['sessions extend r --add tool_calls=-5', "'--add <dimension=n>' argument 'tool_calls=-5'", 'such as tool_calls=5'],
    ['sessions extend r --add tool_calls', "'--add <dimension=n>'", 'such as tool_calls=5'],
    ['store prune --older-than 90', "'--older-than <time>' argument '90'", '90d, 12h or 30min'],
    ['run --input order_id', "'--input <name=value>' argument 'order_id'", 'It takes name=value'],
    ['gates edit g --set =5', "'--set <name=value>' argument '=5'", 'It takes name=value'],
    ['run --goal --yes', "'--goal <text>' argument '--yes'", 'a value is missing before it'],
  ])('%s', (line, named, takes) => {
    const { message } = parsed(line.split(' ')) as { readonly message: string };
    expect(message).toContain(named);
    expect(message).toContain(takes);
  });

  test('nothing but blanks is no text', () => {
    expect(parsed(['run', '--goal', ' '])).toMatchObject({ kind: 'wrong', message: expect.stringContaining('--goal') });
  });

  test('numbers and assignments are read once, for every command', () => {
    const line = 'run --input order_id=ord_881 --input amount=42 --input note=null --input list=[1]';
    expect(parsed(line.split(' '))).toMatchObject({
      flags: {
        input: [
          ['order_id', 'ord_881'],
          ['amount', 42],
          ['note', null],
          ['list', [1]],
        ],
      },
    });
    expect(parsed(['sessions', 'list', '--limit', '5'])).toMatchObject({ flags: { limit: 5 } });
    expect(parsed(['store', 'prune', '--older-than', '2h'])).toMatchObject({ flags: { olderThan: 7_200_000 } });
  });

  test('every flag says what it takes: what is a number or an assignment is not read as text', () => {
    const shapes: Readonly<Record<string, string>> = { '<n>': 'count', '<name=value>': 'assignment' };
    const flags = COMMANDS.flatMap((command) => command.flags ?? []);
    for (const { flag, reads } of flags)
      expect(reads ?? 'text', flag).toBe(shapes[flag.split(' ')[1] ?? ''] ?? reads ?? 'text');
  });
});

describe('a line that nobody understands', () => {
  test.each([
    [['rnu'], "unknown command 'rnu'\n(Did you mean run?)", ''],
    [['gates', 'aprove', 'g'], "unknown command 'aprove'\n(Did you mean approve?)", 'gates'],
    [['run', '--gaol', 'x'], "unknown option '--gaol'\n(Did you mean --goal?)", 'run'],
    [['gates', 'show'], "missing required argument 'gate'", 'gates show'],
    [['graph', '--format', 'png'], "option '--format <format>' argument 'png' is invalid", 'graph'],
    [['sessions', 'decide', 'r', 'maybe'], 'Allowed choices are continue, finalize, terminate', 'sessions decide'],
  ])('%j is told what is wrong, and whose page helps', (line, message, helpFor) => {
    expect(parsed(line)).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message), helpFor });
  });
});

test('no words and a group alone are pages', () => {
  expect(parsed([])).toMatchObject({ kind: 'help', text: expect.stringContaining('doctor') });
  expect(parsed(['gates'])).toMatchObject({ kind: 'help', text: expect.stringContaining('approve') });
  expect(parsed(['--version'])).toMatchObject({ kind: 'version', text: '1.2.3' });
});

/** Every file that is loaded before a command is, by what it imports and does not only name as a type. */
function loadedFrom(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(new URL(file), 'utf8');
  for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*? from '(\.[^']+)';/gm)) {
    loadedFrom(new URL(from, file).href, seen);
  }
  return seen;
}

test('a page is shown without loading the runtime', () => {
  const loaded = loadedFrom(new URL('../../src/cli/cli.ts', import.meta.url).href);
  expect(loaded.size).toBeGreaterThan(8);
  expect([...loaded].filter((file) => !file.includes('/src/cli/'))).toEqual([]);
  expect([...loaded].filter((file) => file.includes('/actions/'))).toEqual([]);
});
