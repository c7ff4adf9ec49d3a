/** Proves over the whole table what every command owes: a page with examples that can be typed, and JSON. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { nameOf, parseLine, SHARED_FLAGS } from '../../src/cli/parse-line.ts';

const parsed = (words: readonly string[]) => parseLine(COMMANDS, words, '1.2.3');

/** The words of an example, as a shell would hand them over; what is piped or redirected is the shell's. */
function wordsOf(line: string): readonly string[] {
  const [, typed = ''] = /ambit ([^|>)]*)/.exec(line) ?? [];
  return Array.from(typed.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
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
  expect(parsed(['--version'])).toMatchObject({ kind: 'help', text: '1.2.3' });
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
